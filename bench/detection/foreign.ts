import { isOfLimits, suitesOf } from "./foreign/suites-of.ts";
import type { SuiteId } from "../../src/core/result/requirement.ts";
import { type ForeignOptions, startForeignService } from "./foreign/foreign-service.ts";
import { foreignDefects, type ForeignDefect } from "./foreign/defects.ts";
import { inTurn } from "../in-turn.ts";
import { blindRounds } from "./foreign/blind-rounds.ts";
import { type ForeignTrial, tryForeign } from "./foreign/try-foreign.ts";
import { tryForeignLimits } from "./foreign/try-foreign-limits.ts";

// npm run bench:foreign -- [--only TEXT] [--round N] [--quick] [--at-once N] [--serve PORT]
// The whole check against the foreign service in real time: lawful ones first, then one defect each. --quick: of the area's suites.
// --round: only the mutants and lawful variants of that round of blind authors. Those of limits are asked by the exam of limits, too,
// in real time, where the check does not fail.

const option = (name: string, usual: string): string => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? usual : (process.argv[at + 1] ?? usual);
};
const round = option("round", "");
const isQuick = process.argv.includes("--quick");
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** The check, and the exam of limits for what shows at a limit alone. */
async function tryWhole(options: ForeignOptions, id: string, suites: readonly SuiteId[] = []): Promise<ForeignTrial> {
  const checked = await tryForeign(options, suites);
  if (checked.failing.length > 0 || !isOfLimits(id) || round === "") return checked;
  const examined = await tryForeignLimits(options);
  if (process.argv.includes("--verbose")) print(JSON.stringify({ id, ...examined }, null, 1));
  return { ...examined, seconds: checked.seconds + examined.seconds, requests: checked.requests + examined.requests };
}

async function main(): Promise<void> {
  const port = option("serve", "");
  if (port !== "") {
    const { url, book } = await startForeignService({ port: Number(port), skewMs: 0, defects: option("defects", "").split(",") });
    print(
      JSON.stringify({
        url,
        keys: Object.fromEntries([...book.holders].map(([name, { id, secret }]) => [name, { id, secret }])),
      }),
    );
    return;
  }
  const atOnce = Number(option("at-once", "3"));
  const only = new RegExp(option("only", "."));
  const rounds = round === "" ? [...blindRounds.values()].flat() : blindRounds.get(round);
  if (rounds === undefined) throw new Error(`There is no round ${round}.`);
  const twists = rounds.filter(({ id }) => only.test(id));
  const plain = round === "" ? [{}, { gzip: true }, { skewMs: -9000 }, { skewMs: 0, gzip: true }] : [];
  const lawful: readonly ForeignOptions[] = [
    ...plain,
    ...twists.filter(({ isLawful }) => isLawful).map(({ id }) => ({ defects: [id] })),
  ];
  const defects: readonly ForeignDefect[] = [
    ...(round === "" ? foreignDefects : []).filter(({ id }) => only.test(id)),
    ...twists.filter(({ isLawful }) => !isLawful),
  ];
  let accused = 0;
  await inTurn(lawful, atOnce, async (options) => {
    const { failing, requests, seconds } = await tryWhole(options, options.defects?.[0] ?? "");
    if (failing.length > 0) accused += 1;
    print(`lawful ${JSON.stringify(options)}: ${requests} requests, ${seconds.toFixed(1)} s ${failing.join(" | ")}`);
  });
  const reported: Record<ForeignTrial["reported"], ForeignDefect[]> = { failed: [], reported: [], silent: [] };
  await inTurn(defects, atOnce, async (defect) => {
    const trial = await tryWhole({ defects: [defect.id] }, defect.id, isQuick ? suitesOf(defect) : []);
    const verdict = trial.failing.length > 0 ? "failed" : trial.reported;
    const shown = trial.failing.length > 0 ? trial.failing : trial.advising;
    reported[verdict].push(defect);
    print(`${verdict.padEnd(6)} ${defect.id} ${trial.seconds.toFixed(0)} s ${shown.slice(0, 2).join(" | ").slice(0, 220)}`);
  });
  const seen = (list: readonly ForeignDefect[]): number => list.filter(({ hidden }) => hidden === undefined).length;
  const all = seen(defects);
  print(`failed ${seen(reported.failed)} of ${all} observable; lawful accused ${accused} of ${lawful.length}`);
  for (const { id, hidden } of [...reported.reported, ...reported.silent])
    print(`  missed ${id}${hidden === undefined ? "" : ` (listed: ${hidden})`}`);
}

await main();
