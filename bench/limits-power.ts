import { disturbances } from "../test/limits/simulation/disturbances.ts";
import { examine, simulatedManifest } from "../test/limits/simulation/exam.ts";
import { faultyLimiters } from "../test/limits/simulation/faulty-limiters.ts";
import { lawfulLimiters } from "../test/limits/simulation/lawful-limiters.ts";
import { serveRequests } from "../test/limits/simulation/request-service.ts";

/**
 * Power of the limit exam, as the tables of docs/limits.md: accusations of lawful limiters under every disturbance, kills of
 * faulty ones. Arguments: seeds for lawful ones, seeds for faulty ones, limit, first seed.
 */
const [lawfulSeeds = 44, faultySeeds = 20, limit = 60, firstSeed = 1_000_000] = process.argv.slice(2).map(Number);
const windowMs = 60_000;

console.log("| disturbance | histories | violations | unexplained | right family among the survivors |\n|--|--:|--:|--:|--:|");
const total = { histories: 0, violations: 0, unexplained: 0 };
for (const { id, style, network, skip } of disturbances) {
  const counts = { histories: 0, violations: 0, unexplained: 0, named: 0 };
  for (const limiter of lawfulLimiters.filter((one) => !skip?.includes(one.id))) {
    for (let seed = firstSeed; seed < firstSeed + lawfulSeeds; seed += 1) {
      const service = serveRequests(limiter.create(limit, windowMs), style);
      const { result, findings } = await examine({ seed, service, network, manifest: simulatedManifest(limit) });
      counts.histories += 1;
      const failed = findings.filter((finding) => finding.verdict === "fail");
      if (failed.length > 0) {
        counts.violations += 1;
        console.error(
          `violation: ${limiter.id}, ${id}, seed ${seed}: ${failed.map(({ check, message }) => `${check} ${message}`).join("; ")}`,
        );
      }
      if (findings.some((finding) => finding.check === "family")) {
        counts.unexplained += 1;
        console.error(`unexplained: ${limiter.id}, ${id}, seed ${seed}`);
      }
      const survivors = result.policies[0]?.identification?.survivors.map(({ family }) => family) ?? [];
      if (survivors.includes(limiter.family)) counts.named += 1;
    }
  }
  console.log(
    `| ${id} | ${counts.histories} | ${counts.violations} | ${counts.unexplained} | ${((100 * counts.named) / counts.histories).toFixed(1)} % |`,
  );
  total.histories += counts.histories;
  total.violations += counts.violations;
  total.unexplained += counts.unexplained;
}
console.log(`| all | ${total.histories} | ${total.violations} | ${total.unexplained} | |`);

console.log(
  `\n| defect | short exam: fails | short exam: fails or unexplained | full exam: fails or unexplained | told by |\n|--|--:|--:|--:|--|`,
);
for (const mutant of faultyLimiters) {
  const checks = new Map<string, number>();
  const counts = { shortFail: 0, shortTold: 0, fullTold: 0 };
  for (const exam of ["short", "full"] as const) {
    const seeds = exam === "short" ? faultySeeds : Math.ceil(faultySeeds / 4);
    for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
      const service = serveRequests(mutant.create(limit, windowMs));
      const { findings } = await examine({ seed, service, manifest: simulatedManifest(limit), exam });
      const failed = findings.some((finding) => finding.verdict === "fail");
      const told = failed || findings.some((finding) => finding.check === "family");
      if (exam === "short" && failed) counts.shortFail += 1;
      if (exam === "short" && told) counts.shortTold += 1;
      if (exam === "full" && told) counts.fullTold += 1;
      for (const { check, verdict } of findings) {
        const name = verdict === "fail" ? check : `(${check})`;
        checks.set(name, (checks.get(name) ?? 0) + 1);
      }
    }
  }
  const names = [...checks]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 3)
    .map(([name]) => name);
  const percent = (count: number, of: number): string => `${Math.round((100 * count) / of)} %`;
  const cells = [
    percent(counts.shortFail, faultySeeds),
    percent(counts.shortTold, faultySeeds),
    percent(counts.fullTold, Math.ceil(faultySeeds / 4)),
  ];
  console.log(`| ${mutant.id} | ${cells.join(" | ")} | ${names.join(", ")} |`);
}
