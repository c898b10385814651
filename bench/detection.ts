import { createRandom, hashString } from "../src/core/random.ts";
import { operatorMutants, whyUnobservable } from "../src/reference/defects/operators.ts";
import { coveringPersonalities, drawPersonality, knownPersonalities, type Personality } from "./detection-personalities.ts";
import { checkableMutants, type Told, tryPersonality } from "./detection-trial.ts";

// npm run bench:detection -- [--seed TEXT] [--mutants N|all] [--lawful N|pairs] [--plain | --known]
// Mutants, each on a personality of its own, and lawful personalities without any. The same seed draws the same.
// --lawful pairs: a covering array in which every two variants stand together. --plain: mutants on the service as it is.

const option = (name: string, usual: string): string => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? usual : (process.argv[at + 1] ?? usual);
};
const has = (name: string): boolean => process.argv.includes(`--${name}`);
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const seed = option("seed", new Date().toISOString().slice(0, 10));
const random = createRandom(hashString(`detection/${seed}`));
const variantsTogether = 8;

const draw = (index: number): Personality => {
  if (has("plain")) return knownPersonalities[0]!;
  if (has("known")) return knownPersonalities[index % knownPersonalities.length]!;
  return drawPersonality(random, random.integer(2, 6));
};
const asked = option("mutants", "40");
const mutants =
  asked === "all"
    ? checkableMutants
    : Array.from({ length: Number(asked) }, () => checkableMutants[random.integer(0, checkableMutants.length - 1)]!);
const lawful =
  option("lawful", "20") === "pairs"
    ? coveringPersonalities(random, variantsTogether)
    : Array.from({ length: Number(option("lawful", "20")) }, (_, index) =>
        has("known") ? knownPersonalities[index % knownPersonalities.length]! : drawPersonality(random, random.integer(2, 6)),
      );

const areaOf = (id: string): string => (id.startsWith("op/") ? id.split("/").slice(0, 2).join("/") : (id.split("/")[0] ?? id));
const byArea = new Map<string, Record<Told, number>>();
for (const [index, mutant] of mutants.entries()) {
  const personality = draw(index);
  const { told } = await tryPersonality(personality, mutant.id);
  const counts = byArea.get(areaOf(mutant.id)) ?? { failed: 0, told: 0, silent: 0 };
  counts[told] += 1;
  byArea.set(areaOf(mutant.id), counts);
  if (told !== "failed") print(`  ${told.padEnd(6)} ${mutant.id} on ${personality.name || "plain"}`);
}
let accused = 0;
for (const personality of lawful) {
  const { told, findings } = await tryPersonality(personality, null);
  if (told !== "failed") continue;
  accused += 1;
  print(`  accused: ${personality.name || "plain"}: ${findings.join(" | ")}`);
}

print(`seed ${seed}; ${operatorMutants.length} mutants by operators, ${checkableMutants.length} to draw from in all`);
print(`not observable and not drawn: ${operatorMutants.filter(({ id }) => whyUnobservable(id) !== null).length}`);
print("area                 failed    told  silent");
for (const [area, { failed, told, silent }] of [...byArea].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
  print(`${area.padEnd(18)} ${String(failed).padStart(8)} ${String(told).padStart(7)} ${String(silent).padStart(7)}`);
}
const failed = [...byArea.values()].reduce((sum, counts) => sum + counts.failed, 0);
print(`failed ${failed} of ${mutants.length}; lawful personalities accused ${accused} of ${lawful.length}`);
