/**
 * Every attack against every command: `npm run bench:hostile -- [--only REGEXP] [--settings default|small] [--at-once N]
 * [--results FILE] [--print]`. Each that was tried is a line of the results file; those that stand there are not tried again, so
 * that a bench that was stopped goes on. Prints what was tried, what held, peak memory and time; ends with 1 where something
 * did not hold. REGEXP: of `ATTACK | COMMAND`.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { attacks } from "./attacks.ts";
import { commands } from "./commands.ts";
import { renderTried } from "./render-tried.ts";
import { tryAttack, type Settings, type Tried } from "./try-attack.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    settings: { type: "string", default: "default" },
    "at-once": { type: "string", default: "1" },
    results: { type: "string", default: "reports/hostile.ndjson" },
    print: { type: "boolean", default: false },
  },
});
const only = new RegExp(values.only);
const settings: Settings = values.settings === "small" ? "small" : "default";
/** Beyond what any run states that is tried here; a run that takes longer hangs. */
const bounds = { seconds: settings === "small" ? 300 : 3600, megabytes: 512 };

const known = readResults().filter((one) => one.settings === settings);
const isKnown = (attack: string, command: string): boolean =>
  known.some((one) => one.attack === attack && one.command === command);
const wanted = attacks.flatMap((attack) =>
  commands
    .filter(({ concerns }) => concerns?.(attack) ?? true)
    .filter(({ id }) => only.test(`${attack.id} | ${id}`) && !isKnown(attack.id, id))
    .map((command) => ({ attack, command })),
);

async function tryInTurn(): Promise<void> {
  for (let next = wanted.shift(); next !== undefined; next = wanted.shift()) {
    for (const one of await tryAttack(next.attack, next.command, settings, bounds)) {
      appendFileSync(values.results, `${JSON.stringify(one)}\n`);
      process.stderr.write(
        `${wanted.length} left: ${one.attack} | ${one.command}: ${one.exitCode}, ${one.broken.join(", ") || "held"}\n`,
      );
    }
  }
}

function readResults(): readonly Tried[] {
  if (!existsSync(values.results)) return [];
  const lines = readFileSync(values.results, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Tried);
}

if (!values.print) await Promise.all(Array.from({ length: Number(values["at-once"]) }, tryInTurn));
const all = readResults().filter((one) => one.settings === settings && only.test(`${one.attack} | ${one.command}`));
process.stdout.write(renderTried(all));
process.exitCode = all.every(({ broken }) => broken.length === 0) ? 0 : 1;
