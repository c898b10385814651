import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { inTurn } from "../in-turn.ts";
import { defectiveSubjects, lawfulSubjects } from "./steady-subjects.ts";
import { findFault, readRows, type SteadyRow, writeTable } from "./steady-table.ts";
import { beside, type SteadyTrial, tryOnce } from "./steady-trial.ts";

// npm run bench:steady -- [--lawful 2] [--mutants 2] [--busy 0,16] [--commands check] [--at-once 1] [--seed 1] [--minutes 10] [--results FILE]
// [--out FOLDER] [--table]
// Verdicts are properties of the target: lawful servers (the second service and personalities), aimock and mutants beside busy loops,
// `--at-once` runs at a time. Each run is a line that is added to the file of results; runs that it holds are not made again, so that a bench that
// was ended goes on. `--out` keeps the records of all runs, as evidence of a fault. The usual form is small; the whole one is
// `npm run bench:steady -- --lawful 15 --mutants 30 --commands check,limits,run --busy 0,4,16 --minutes 600`.

const { values: flags } = parseArgs({
  options: {
    lawful: { type: "string", default: "2" },
    mutants: { type: "string", default: "2" },
    busy: { type: "string", default: "0,16" },
    commands: { type: "string", default: "check" },
    "at-once": { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "10" },
    results: { type: "string", default: join(tmpdir(), "assay-steady.ndjson") },
    out: { type: "string" },
    table: { type: "boolean", default: false },
  },
});

/** A run that takes longer hangs: the longest run takes two minutes alone, and ten beside sixteen loops. */
const mostSeconds = 3600;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Numbers of loops in the order of the flag: a defect that passes in calm is not looked for beside busy loops. */
const busyLevels = flags.busy.split(",").map(Number);

function planTrials(busy: number): readonly SteadyTrial[] {
  const seed = Number(flags.seed);
  const subjects = [...lawfulSubjects(Number(flags.lawful)), ...defectiveSubjects(Number(flags.mutants), seed)];
  return flags.commands.split(",").flatMap((command) => subjects.map((subject) => ({ subject, command, seed, busy })));
}

function isSame({ subject, command, seed, busy }: SteadyTrial, row: SteadyRow): boolean {
  return row.name === subject.name && row.command === command && row.seed === seed && row.busy === busy;
}

async function tryOneTrial(trial: SteadyTrial, folder: string): Promise<void> {
  const { subject, command, seed, busy } = trial;
  const end = await tryOnce(trial, folder, mostSeconds);
  const row: SteadyRow = { name: subject.name, kind: subject.kind, command, busy, seed, ...end };
  appendFileSync(flags.results, `${JSON.stringify(row)}\n`);
  const words = end.exitCode === 0 ? "" : `  ${end.findings.join(" ")} ${(end.reason ?? "").slice(0, 160)}`;
  const [loops, seconds] = [String(busy).padStart(2), end.seconds.toFixed(0).padStart(4)];
  print(`${loops} busy  ${seconds} s  exit ${end.exitCode}  ${row.name}, ${command}${words}`);
  const fault = findFault(row, readRows(flags.results));
  if (fault !== null) print(`   FAULT: ${fault}`);
}

async function tryAll(): Promise<void> {
  const folder = flags.out ?? mkdtempSync(join(tmpdir(), "assay-steady-"));
  const untilMs = performance.now() + 60_000 * Number(flags.minutes);
  for (const busy of busyLevels) {
    const rows = readRows(flags.results);
    const left = planTrials(busy).filter((trial) => !rows.some((row) => isSame(trial, row)));
    await beside(left.length === 0 ? 0 : busy, () =>
      inTurn(left, Number(flags["at-once"]), async (trial) => {
        if (performance.now() < untilMs) await tryOneTrial(trial, folder);
      }),
    );
  }
  if (flags.out === undefined) rmSync(folder, { recursive: true, force: true });
}

if (!flags.table) await tryAll();
const rows = readRows(flags.results);
const left = busyLevels.flatMap(planTrials).filter((trial) => !rows.some((row) => isSame(trial, row))).length;
const lawful = rows.filter(({ kind }) => kind === "lawful");
const open = lawful.filter(({ exitCode }) => exitCode === 3).length;
const faults = rows.filter((row) => findFault(row, rows) !== null).length;
print(writeTable(rows));
print(
  `${rows.length} runs, ${left} of this plan not made; ${lawful.length} of lawful servers, ${open} of these ended in 3; ${faults} wrong`,
);
if (faults > 0 || open > Math.max(1, 0.03 * lawful.length)) process.exitCode = 1;
