import { parseArgs } from "node:util";
import type { ExamDepth } from "../../src/limits/probe/probe-tools.ts";
import type { LimitsJudgement } from "../../src/limits/exam/judge-limits.ts";
import type { Mutant } from "../../src/reference/switches/switch.ts";
import { allSwitches } from "../../src/reference/switches/all-switches.ts";
import { countKillsInRealTime } from "./kills-real-time.ts";
import { examineSwitch, limitAreas, limitRows } from "../../test/limits/sockets/examine-switch.ts";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "real-time": { type: "boolean", default: false },
    exam: { type: "string", default: "short" },
    "side-by-side": { type: "string", default: "40" },
    log: { type: "string", default: "kills-real-time.ndjson" },
    records: { type: "string", default: "kills-real-time-records" },
    latest: { type: "string", default: "100" },
    shuffle: { type: "string", default: "0" },
    minutes: { type: "string", default: "100000" },
    clock: { type: "string", default: "real" },
    area: { type: "string", multiple: true, default: [] },
    personality: { type: "string", multiple: true, default: [] },
  },
});

/**
 * Kills per mutant of the reference service and per exam at a limit of 60, as the table of docs/measurements/limits.md: real sockets, the
 * clock moved by hand. Arguments: seeds of each exam, first seed, then ids where not all are wanted. With `--real-time` windows of sixty
 * seconds pass, each mutant is examined once on every lawful personality, and arguments are ids only.
 */
const [seeds = 5, firstSeed = 1] = flags["real-time"] ? [] : positionals.slice(0, 2).map(Number);
const wanted = positionals.slice(flags["real-time"] ? 0 : 2);

interface Reported {
  /** Checks, and rows of the catalogue that no check stands for, which fail. */
  readonly failed: ReadonlySet<string>;
  readonly advised: ReadonlySet<string>;
}

function foundBy({ findings, occurrences }: LimitsJudgement): Reported {
  const checks = (verdict: string): readonly string[] =>
    findings.filter((finding) => finding.verdict === verdict).map(({ check }) => check ?? "");
  const rowsOfChecks = new Set(findings.flatMap(({ requirement }) => requirement ?? []));
  const rows = occurrences
    .filter(({ outcome, requirement }) => outcome === "fail" && !rowsOfChecks.has(requirement))
    .map(({ requirement }) => requirement);
  const failed = new Set(checks("fail"));
  // Rows of a failing check repeat it; they are named where nothing else states.
  if (failed.size === 0) for (const row of rows) failed.add(row);
  return { failed, advised: new Set(checks("advisory")) };
}

const mutants = allSwitches.filter(
  (one): one is Mutant =>
    one.kind === "mutant" &&
    limitAreas.some((area) => area === one.area) &&
    limitRows(one).length > 0 &&
    (wanted.length === 0 || wanted.includes(one.id)),
);
const exams: readonly ExamDepth[] = ["short", "full"];
const totals = new Map<string, { mutants: number; always: number; reported: number }>();

if (flags["real-time"]) {
  await countKillsInRealTime({
    mutants,
    exam: flags.exam === "full" ? "full" : "short",
    sideBySide: Number(flags["side-by-side"]),
    logPath: flags.log,
    recordsPath: flags.records,
    latestMs: Number(flags.latest),
    clock: flags.clock === "blind" ? "blind" : "real",
    areas: flags.area,
    personalities: flags.personality,
    shuffle: Number(flags.shuffle),
    minutes: Number(flags.minutes),
  });
  process.exit(0);
}

console.log("| mutant | area | short: fails | short: fails or advisory | full: fails | full: fails or advisory | reported by |");
console.log("|---|---|--:|--:|--:|--:|---|");
for (const mutant of mutants) {
  const area = limitAreas.find((one) => one === mutant.area)!;
  const cells: string[] = [];
  const names = new Map<string, number>();
  for (const exam of exams) {
    let failed = 0;
    let reported = 0;
    for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
      const said = foundBy(await examineSwitch(area, mutant, { exam, seed }));
      if (said.failed.size > 0) failed += 1;
      if (said.failed.size + said.advised.size > 0) reported += 1;
      for (const name of said.failed) names.set(name, (names.get(name) ?? 0) + 1);
      for (const name of said.advised) names.set(`(${name})`, (names.get(`(${name})`) ?? 0) + 1);
    }
    cells.push(`${failed}/${seeds}`, `${reported}/${seeds}`);
    const total = totals.get(exam) ?? { mutants: 0, always: 0, reported: 0 };
    totals.set(exam, {
      mutants: total.mutants + 1,
      always: total.always + (failed === seeds ? 1 : 0),
      reported: total.reported + (reported === seeds ? 1 : 0),
    });
  }
  const ranked = [...names].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).slice(0, 4);
  console.log(`| ${mutant.id} | ${area} | ${cells.join(" | ")} | ${ranked.map(([name]) => name).join(", ")} |`);
}
for (const [exam, { mutants: count, always, reported }] of totals) {
  console.log(
    `\n${exam} exam: ${always} of ${count} mutants fail with every seed, ${reported} fail or are advised with every seed`,
  );
}
