import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createRandom, hashString } from "../../src/core/random.ts";
import { operatorMutants, whyUnobservable } from "../../src/reference/switches/broken/operators/operator-mutants.ts";
import { coveringPersonalities, drawPersonality, knownPersonalities, type Personality } from "./personalities.ts";
import { whyNoDefect } from "./exceptions.ts";
import { inTurn } from "../in-turn.ts";
import { groupBy } from "../../src/core/group-by.ts";
import { areaOf, checkableMutants, drawMutants, type Trial, tryPersonality } from "./trial.ts";
import { type ExamDepth, type ExamTime, tryLimits } from "./limits.ts";

// npm run bench:detection -- [--seed TEXT] [--lawful N|pairs|known|plain] [--mutants N|all] [--personalities N] [--on-each N]
//   [--stage check|short|full] [--clock hand|real] [--at-once N] [--log FILE] [--minutes N]
// Lawful servers first, then mutants, drawn over all areas, on the first of these servers in turn. The same seed draws the same.
// --on-each N: each mutant on so many of these servers, with a list of those that fail on one and not on each.
// --lawful pairs: a covering array in which every two variants stand together. --stage: the check, or an exam of limits
// (lawful servers only: its mutants have a bench of their own), whose clock is moved by hand or real. --log keeps each trial, and what it holds is not run again:
// with --minutes a long run goes in pieces.

const option = (name: string, usual: string): string => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? usual : (process.argv[at + 1] ?? usual);
};
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const seed = option("seed", new Date().toISOString().slice(0, 10));
const stage = option("stage", "check") as "check" | ExamDepth;
const log = option("log", "");
const untilMs = performance.now() + Number(option("minutes", "Infinity")) * 60_000;
const random = createRandom(hashString(`detection/${seed}`));
const variantsTogether = 8;

function drawServers(asked: string): readonly Personality[] {
  if (asked === "pairs") return coveringPersonalities(random, variantsTogether);
  if (asked === "known") return knownPersonalities;
  if (asked === "plain") return knownPersonalities.slice(0, 1);
  return Array.from({ length: Number(asked) }, () => drawPersonality(random, random.integer(2, 6)));
}

const servers = drawServers(option("lawful", "20"));
const asked = stage === "check" ? option("mutants", "40") : "0";
const mutants = drawMutants(random, asked === "all" ? checkableMutants.length : Number(asked));
const hosts = servers.slice(0, Number(option("personalities", "40")));

interface Tried extends Trial {
  readonly stage: string;
  readonly server: string;
  readonly mutant: string | null;
  readonly area: string;
}

const kept: readonly Tried[] =
  log === "" || !existsSync(log)
    ? []
    : readFileSync(log, "utf8")
        .split("\n")
        .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Tried]));
const known = new Map(kept.map((one) => [`${one.stage} ${one.server} ${one.mutant}`, one]));
const tried: Tried[] = [];

async function run(server: Personality, mutant: string | null): Promise<void> {
  const found = known.get(`${stage} ${server.name} ${mutant}`);
  if (found === undefined && performance.now() > untilMs) return;
  const trial = found ?? {
    ...(stage === "check"
      ? await tryPersonality(server, mutant)
      : await tryLimits(server, stage, option("clock", "hand") as ExamTime)),
    stage,
    server: server.name,
    mutant,
    area: mutant === null ? "lawful" : areaOf(mutant),
  };
  tried.push(trial);
  if (found === undefined && log !== "") appendFileSync(log, `${JSON.stringify(trial)}\n`);
  if (mutant === null && trial.reported === "failed") print(`  accused: ${server.name}: ${trial.findings.join(" | ")}`);
  if (mutant !== null && trial.reported !== "failed") print(`  ${trial.reported.padEnd(6)} ${mutant} on ${server.name}`);
}

await inTurn(servers, Number(option("at-once", "1")), (server) => run(server, null));
const onEach = Math.min(hosts.length, Number(option("on-each", "1")));
let left = 0;
for (const [index, { id }] of mutants.entries()) {
  for (let place = 0; place < onEach; place += 1) {
    const host = hosts[(index * onEach + place) % hosts.length]!;
    const reason = whyNoDefect(id, host);
    if (reason === null) await run(host, id);
    else {
      left += 1;
      print(`  left out ${id} on ${host.name}: ${reason}`);
    }
  }
}

function printTable(title: string, by: (one: Tried) => string): void {
  const groups = groupBy(broken, by);
  print(`\n| ${title} | failed | reported | silent |\n|---|--:|--:|--:|`);
  for (const [name, ones] of [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const count = (reported: string): number => ones.filter((one) => one.reported === reported).length;
    print(`| ${name} | ${count("failed")} | ${count("reported")} | ${count("silent")} |`);
  }
}

const broken = tried.filter(({ mutant }) => mutant !== null);
const lawful = tried.filter(({ mutant }) => mutant === null);
print(`seed ${seed}, stage ${stage}: ${tried.length} of ${servers.length + onEach * mutants.length} trials, ${left} left out`);
print(`${operatorMutants.length} mutants by operators, ${checkableMutants.length} to draw from in all`);
print(`not observable and not drawn: ${operatorMutants.filter(({ id }) => whyUnobservable(id) !== null).length}`);
if (broken.length > 0) {
  printTable("area", ({ area }) => area);
  printTable("personality", ({ server }) => server);
}
const failed = broken.filter(({ reported }) => reported === "failed").length;
const accused = lawful.filter(({ reported }) => reported === "failed").length;
const halves = [...groupBy(broken, ({ mutant }) => mutant ?? "")].filter(
  ([, ones]) => new Set(ones.map(({ reported }) => reported === "failed")).size > 1,
);
if (onEach > 1) print(`\nfailed on one and not on each: ${halves.map(([mutant]) => mutant).join(", ") || "none"}`);
print(`\nfailed ${failed} of ${broken.length}; lawful personalities accused ${accused} of ${lawful.length}`);
