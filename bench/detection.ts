import { createRandom, hashString } from "../src/core/random.ts";
import { operatorMutants, whyUnobservable } from "../src/reference/defects/operators.ts";
import { drawPersonality, knownPersonalities } from "./detection-personalities.ts";
import { checkableMutants, type Told, tryPersonality } from "./detection-trial.ts";

// npm run bench:detection -- [--seed TEXT] [--mutants N] [--lawful N] [--known]
// A sample of mutants, each on a personality of its own, and lawful personalities without any. The same seed draws the same.

const option = (name: string, usual: string): string => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? usual : (process.argv[at + 1] ?? usual);
};
const seed = option("seed", new Date().toISOString().slice(0, 10));
const mutantCount = Number(option("mutants", "40"));
const lawfulCount = Number(option("lawful", "20"));
const random = createRandom(hashString(`detection/${seed}`));
const isKnown = process.argv.includes("--known");

const draw = (index: number) =>
  isKnown ? knownPersonalities[index % knownPersonalities.length]! : drawPersonality(random, random.integer(2, 6));
const sample = Array.from({ length: mutantCount }, () => checkableMutants[random.integer(0, checkableMutants.length - 1)]!);

const areaOf = (id: string): string => (id.startsWith("op/") ? id.split("/").slice(0, 2).join("/") : (id.split("/")[0] ?? id));
const byArea = new Map<string, Record<Told, number>>();
const missed: string[] = [];
for (const [index, mutant] of sample.entries()) {
  const personality = draw(index);
  const { told } = await tryPersonality(personality, mutant.id);
  const counts = byArea.get(areaOf(mutant.id)) ?? { failed: 0, told: 0, silent: 0 };
  counts[told] += 1;
  byArea.set(areaOf(mutant.id), counts);
  if (told !== "failed") missed.push(`${told.padEnd(6)} ${mutant.id} on ${personality.name || "plain"}`);
}
const accused: string[] = [];
for (let index = 0; index < lawfulCount; index += 1) {
  const personality = draw(index);
  const { told, findings } = await tryPersonality(personality, null);
  if (told === "failed") accused.push(`${personality.name || "plain"}: ${findings.join(" | ")}`);
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);
print(`seed ${seed}; ${operatorMutants.length} mutants by operators, ${checkableMutants.length} to draw from in all`);
print(`not observable and not drawn: ${operatorMutants.filter(({ id }) => whyUnobservable(id) !== null).length}`);
print("area                 failed    told  silent");
for (const [area, { failed, told, silent }] of [...byArea].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
  print(`${area.padEnd(18)} ${String(failed).padStart(8)} ${String(told).padStart(7)} ${String(silent).padStart(7)}`);
}
const failed = [...byArea.values()].reduce((sum, counts) => sum + counts.failed, 0);
print(`failed ${failed} of ${sample.length}; lawful personalities accused ${accused.length} of ${lawfulCount}`);
for (const line of missed) print(`  ${line}`);
for (const line of accused) print(`  accused: ${line}`);
