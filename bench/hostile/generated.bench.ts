/**
 * Everything hostile that generators make of operators, targets and vendors: `npm run bench:generated -- [--count N] [--seed N]
 * [--only REGEXP]`. Prints a line for each class, and each case that did not hold; ends with 1 where there is one.
 */
import { parseArgs } from "node:util";
import { createRandom } from "../../src/core/random.ts";
import type { BoundedRun } from "./run-bounded.ts";
import { clockJumps } from "./generated/clock-jumps.ts";
import { forgedStatements } from "./generated/forged-statements.ts";
import { secretOrigins } from "./generated/secret-origins.ts";
import { unreadableBodies } from "./generated/unreadable-bodies.ts";
import { yamlCycles } from "./generated/yaml-cycles.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "16" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
  },
});
const [count, seed] = [Number(values.count), Number(values.seed)];
const only = new RegExp(values.only);
const classes = [unreadableBodies, yamlCycles, secretOrigins, clockJumps, forgedStatements];

process.stdout.write(
  "| class | cases | held | runs | exit codes | MB at most | seconds at most |\n|---|---|---|---|---|---|---|\n",
);
const broken: string[] = [];
for (const { id, make } of classes.filter((one) => only.test(one.id))) {
  const drawn = createRandom(seed);
  const { cases, close } = await make({ count, random: (most) => drawn.integer(0, most) });
  const runs: BoundedRun[] = [];
  let held = 0;
  for (const one of cases) {
    const outcome = await one.run();
    runs.push(...outcome.runs);
    if (outcome.broken.length === 0) held += 1;
    else broken.push(`not held: ${id} | ${one.id}: ${outcome.broken.join(", ")}`);
    process.stderr.write(`${id} | ${one.id}: ${outcome.broken.join(", ") || "held"}\n`);
  }
  await close?.();
  const codes = [...new Set(runs.map(({ exitCode }) => String(exitCode)))].sort().join(", ");
  const most = (of: (run: BoundedRun) => number): number => Math.ceil(Math.max(...runs.map(of)));
  const figures = [cases.length, held, runs.length, codes, most((run) => run.peakMegabytes), most((run) => run.seconds)];
  process.stdout.write(`| ${id} | ${figures.join(" | ")} |\n`);
}
process.stdout.write(`\n${broken.join("\n")}${broken.length === 0 ? "all held" : ""}\n`);
process.exitCode = broken.length === 0 ? 0 : 1;
