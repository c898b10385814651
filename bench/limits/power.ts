import type { LimitsJudgement } from "../../src/limits/exam/judge-limits.ts";
import type { ExamDepth } from "../../src/limits/probe/probe-tools.ts";
import { serveAccount } from "../../test/limits/simulation/account-service.ts";
import { disturbances } from "../../test/limits/simulation/disturbances.ts";
import { accusationsIn, examine, simulatedManifest } from "../../test/limits/simulation/exam.ts";
import { faultyLimiters } from "../../test/limits/simulation/faulty-limiters.ts";
import { accountManifest, lawfulAccounts } from "../../test/limits/simulation/lawful-accounts.ts";
import { lawfulLimiters } from "../../test/limits/simulation/lawful-limiters.ts";
import { serveRequests } from "../../test/limits/simulation/request-service.ts";

/**
 * Power of the limit exams, as the tables of docs/measurements/limits.md: accusations of lawful limiters under every disturbance, and of
 * lawful accounts; kills of faulty limiters. `power.ts requests|accounts|faulty [seeds] [first seed] [exam] [limits...]`.
 * A range of seeds is held out as long as no check was changed after it was seen: the next run begins at another first seed.
 */
const [subject = "accounts", seedsText = "10", firstText = "7300000", examText = "short", ...limitTexts] = process.argv.slice(2);
const seeds = Number(seedsText);
const firstSeed = Number(firstText);
const exam: ExamDepth = examText === "full" ? "full" : "short";
const limits = limitTexts.length > 0 ? limitTexts.map(Number) : [5, 20, 60, 200];
const windowMs = 60_000;

interface Tally {
  histories: number;
  accused: number;
  unexplained: number;
  /** The number of survivors, if an algorithm is to be named among them. */
  named: number;
  /** Histories in which the policies were judged at all. */
  judged: number;
}

const emptyTally = (): Tally => ({ histories: 0, accused: 0, unexplained: 0, named: 0, judged: 0 });

function count(tally: Tally, judgement: LimitsJudgement, where: string, family: string | null): void {
  const { result, findings } = judgement;
  const unexplained = findings.some(({ check }) => check === "limits.algorithm");
  const accusations = accusationsIn({ ...judgement, findings: findings.filter(({ check }) => check !== "limits.algorithm") });
  tally.histories += 1;
  if (accusations.length > 0) tally.accused += 1;
  if (unexplained) tally.unexplained += 1;
  if (result.policies.some(({ tier }) => tier === "consistent" || tier === "unrefuted")) tally.judged += 1;
  const survivors = result.policies[0]?.identification?.survivors.map((survivor) => survivor.family) ?? [];
  if (family !== null && survivors.some((survivor) => survivor === family)) tally.named += 1;
  if (accusations.length > 0 || unexplained) console.error(`${where}: ${accusations.join("; ") || "unexplained"}`);
}

function addTo(total: Tally, tally: Tally): void {
  for (const name of ["histories", "accused", "unexplained", "named", "judged"] as const) total[name] += tally[name];
}

const percent = (part: number, of: number): string => `${((100 * part) / of).toFixed(1)} %`;

function printRow(name: string, { histories, accused, unexplained, named, judged }: Tally, hasFamily: boolean): void {
  const family = hasFamily ? ` ${percent(named, histories)} |` : "";
  console.log(`| ${name} | ${histories} | ${accused} | ${unexplained} | ${percent(judged, histories)} |${family}`);
}

async function examineRequests(): Promise<void> {
  console.log(`${exam} exam, limits ${limits.join(", ")}, seeds from ${firstSeed}\n`);
  console.log("| disturbance | histories | accused | unexplained | judged | right family among the survivors |");
  console.log("|---|--:|--:|--:|--:|--:|");
  const total = emptyTally();
  for (const { id, style, network, skip } of disturbances) {
    const tally = emptyTally();
    for (const limiter of lawfulLimiters.filter((one) => !skip?.includes(one.id))) {
      for (const limit of limits) {
        for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
          const service = serveRequests(limiter.create(limit, windowMs), style);
          const judged = await examine({ seed, service, network, manifest: simulatedManifest(limit), exam });
          count(tally, judged, `${limiter.id}, limit ${limit}, ${id}, seed ${seed}`, limiter.family);
        }
      }
    }
    printRow(id, tally, true);
    addTo(total, tally);
  }
  printRow("all", total, true);
}

async function examineAccounts(): Promise<void> {
  console.log(`short and full exam in turn, seeds from ${firstSeed}\n`);
  console.log("| limits | readings | histories | accused | unexplained | judged |\n|---|--:|--:|--:|--:|--:|");
  const total = emptyTally();
  for (const kind of ["burst", "tokens", "spend"] as const) {
    const tally = emptyTally();
    const accounts = lawfulAccounts.filter((account) => account.kind === kind);
    for (const { id, style, network } of disturbances) {
      for (const account of accounts) {
        for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
          const judged = await examine({
            seed,
            service: serveAccount(account.create(seed), style),
            network,
            manifest: accountManifest(kind),
            exam: seed % 2 === 0 ? "short" : "full",
          });
          count(tally, judged, `${kind}, ${account.id}, ${id}, seed ${seed}`, null);
        }
      }
    }
    printRow(`${kind} | ${accounts.length}`, tally, false);
    addTo(total, tally);
  }
  printRow(`all | ${lawfulAccounts.length}`, total, false);
}

async function examineFaulty(limit: number): Promise<void> {
  const fullSeeds = Math.ceil(seeds / 4);
  console.log(
    "| defect | short exam: fails | short exam: fails or unexplained | full exam: fails or unexplained | reported by |",
  );
  console.log("|---|--:|--:|--:|---|");
  for (const mutant of faultyLimiters) {
    const checks = new Map<string, number>();
    const counts = { shortFail: 0, shortFound: 0, fullFound: 0 };
    for (const depth of ["short", "full"] as const) {
      for (let seed = firstSeed; seed < firstSeed + (depth === "short" ? seeds : fullSeeds); seed += 1) {
        const service = serveRequests(mutant.create(limit, windowMs));
        const { findings } = await examine({ seed, service, manifest: simulatedManifest(limit), exam: depth });
        const failed = findings.some((finding) => finding.verdict === "fail");
        const reported = failed || findings.some((finding) => finding.check === "limits.algorithm");
        if (depth === "short" && failed) counts.shortFail += 1;
        if (depth === "short" && reported) counts.shortFound += 1;
        if (depth === "full" && reported) counts.fullFound += 1;
        for (const { check, verdict } of findings) {
          const name = verdict === "fail" ? check : `(${check})`;
          checks.set(name, (checks.get(name) ?? 0) + 1);
        }
      }
    }
    const names = [...checks].sort((a, b) => b[1] - a[1]).map(([name]) => name);
    const cells = [percent(counts.shortFail, seeds), percent(counts.shortFound, seeds), percent(counts.fullFound, fullSeeds)];
    console.log(`| ${mutant.id} | ${cells.join(" | ")} | ${names.slice(0, 3).join(", ")} |`);
  }
}

if (subject === "requests") await examineRequests();
else if (subject === "accounts") await examineAccounts();
else await examineFaulty(limits[0] ?? 60);
