/**
 * Public bugs, each as a small server and as the same server without it: `npm run bench:field -- [--only REGEXP] [--at-once N] [--page]`.
 * Each trial is a line of the results file; those that stand there are not repeated. `--page` writes docs/measurements/field.md from it.
 * Ends with 1 where a mend is accused.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { fieldBugs } from "./field-bugs.ts";
import { type FieldLine, plain, renderField } from "./render-field.ts";
import { tryField } from "./try-field.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    "at-once": { type: "string", default: "1" },
    results: { type: "string", default: "reports/field.ndjson" },
    page: { type: "boolean", default: false },
  },
});
const only = new RegExp(values.only);

function readLines(): readonly FieldLine[] {
  if (!existsSync(values.results)) return [];
  const lines = readFileSync(values.results, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as FieldLine);
}

const lawful = (): object => ({});
const known = readLines();
const wanted = fieldBugs
  .filter(({ reference, stage }) => only.test(`${stage} ${reference}`))
  .flatMap(({ reference, stage, broken, mended }) => [
    { reference, stage, server: "broken" as const, rules: broken },
    { reference: mended === undefined ? plain(stage) : reference, stage, server: "mended" as const, rules: mended ?? lawful },
  ])
  .filter(
    (one, place, all) => all.findIndex((other) => other.reference === one.reference && other.server === one.server) === place,
  )
  .filter(({ reference, server }) => !known.some((one) => one.reference === reference && one.server === server));

async function tryInTurn(): Promise<void> {
  for (let next = wanted.shift(); next !== undefined; next = wanted.shift()) {
    const { reference, stage, server, rules } = next;
    const trial = await tryField(stage, rules());
    const line: FieldLine = { reference, server, ...trial, says: trial.says.slice(0, 3) };
    appendFileSync(values.results, `${JSON.stringify(line)}\n`);
    process.stderr.write(
      `${wanted.length} left: ${server} ${reference}: exit ${trial.exitCode}, ${trial.says[0] ?? "nothing"}\n`,
    );
  }
}

await Promise.all(Array.from({ length: Number(values["at-once"]) }, tryInTurn));
const lines = readLines();
if (values.page) writeFileSync("docs/measurements/field.md", renderField(fieldBugs, lines));
const found = lines.filter(({ server, exitCode }) => server === "broken" && exitCode === 1).length;
const accused = lines.filter(({ server, exitCode }) => server === "mended" && exitCode === 1).length;
process.stdout.write(
  `${found} of ${lines.filter(({ server }) => server === "broken").length} bugs fail, ${accused} mends are accused\n`,
);
process.exitCode = accused === 0 ? 0 : 1;
