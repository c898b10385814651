import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { judgeLimits, type LimitsJudgement } from "../src/limits/exam/judge-limits.ts";
import type { ExamDepth } from "../src/limits/exam/probe-tools.ts";
import type { Mutant } from "../src/reference/defects/switch.ts";
import { limitAreas, recordSwitch, type LimitArea } from "../test/limits/examine-switch.ts";
import { isUnobservable, namesOnlyLaterResets } from "./limits-unobservable.ts";
import { limitPersonalities } from "./limits-personalities.ts";

export interface RealTimeKills {
  readonly mutants: readonly Mutant[];
  readonly exam: ExamDepth;
  /** Services that are examined at a time: an exam mostly waits. */
  readonly sideBySide: number;
  /** One JSON line an exam; what it holds already is not examined again. */
  readonly logPath: string;
  /** `real`: sixty seconds are waited for; `blind`: the same schedules on a clock that is moved by hand, one exam at a time. */
  readonly clock: "real" | "blind";
  /** Only these; empty: all. */
  readonly areas: readonly string[];
  readonly personalities: readonly string[];
}

interface Trial {
  readonly area: LimitArea;
  /** null: the lawful service itself. */
  readonly mutant: string | null;
  readonly personality: string;
  readonly exam: ExamDepth;
}

interface Reported extends Trial {
  readonly failed: readonly string[];
  readonly advised: readonly string[];
  readonly unexplained: boolean;
  /** Of what does not fail, on a clock moved by hand: the full exam is answered as by the lawful service. */
  readonly unobservable?: boolean;
  /** As well: all that differs are resets, which a limiter of that kind may name as late. */
  readonly laterReset?: boolean;
  readonly open: readonly string[];
  readonly minutes: number;
  readonly requests: number;
  readonly error?: string;
  readonly messages: readonly string[];
}

/** Every mutant on every personality, and every personality without one, with windows of sixty seconds of real time. */
export async function countKillsInRealTime(options: RealTimeKills): Promise<void> {
  const { mutants, exam, sideBySide, logPath, clock, areas, personalities } = options;
  const lawful = new Map<string, string>();
  const known: readonly Reported[] = existsSync(logPath)
    ? readFileSync(logPath, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Reported)
    : [];
  const idOf = (trial: Trial): string => [trial.area, trial.mutant, trial.personality, trial.exam].join("|");
  const done = new Set(known.map(idOf));
  const trials = limitPersonalities.flatMap(({ name: personality }): readonly Trial[] => [
    ...limitAreas.map((area) => ({ area, mutant: null, personality, exam })),
    ...mutants.map(({ id, area }) => ({ area: area as LimitArea, mutant: id, personality, exam })),
  ]);
  const reported: Reported[] = [];
  const left = trials.filter(
    (trial) =>
      !done.has(idOf(trial)) &&
      (areas.length === 0 || areas.includes(trial.area)) &&
      (personalities.length === 0 || personalities.includes(trial.personality)),
  );
  for (let from = 0; from < left.length; from += sideBySide) {
    // Judging takes a processor for itself: it begins when no exam of the batch measures time any more.
    const records = await Promise.all(left.slice(from, from + sideBySide).map((trial, at) => record(trial, from + at, options)));
    for (const judge of records) {
      const said = judge();
      const mutant = mutants.find(({ id }) => id === said.mutant);
      const isOpen = clock === "blind" && mutant !== undefined && said.failed.length === 0 && said.error === undefined;
      const variants = variantsOf(said.personality);
      const line = isOpen ? { ...said, ...(await excuseOf(said.area, mutant, variants, lawful)) } : said;
      reported.push(line);
      appendFileSync(logPath, `${JSON.stringify(line)}\n`);
    }
  }
  printTable([...known, ...reported].filter((one) => one.exam === exam));
}

async function excuseOf(
  area: LimitArea,
  mutant: Mutant,
  variants: readonly string[],
  lawful: Map<string, string>,
): Promise<Pick<Reported, "unobservable" | "laterReset">> {
  const unobservable = await isUnobservable(area, mutant, variants, lawful);
  return { unobservable, laterReset: !unobservable && (await namesOnlyLaterResets(area, mutant, variants)) };
}

async function record(trial: Trial, seed: number, { mutants, clock }: RealTimeKills): Promise<() => Reported> {
  const mutant = mutants.find(({ id }) => id === trial.mutant) ?? null;
  const variants = variantsOf(trial.personality);
  // Exams begin at different instants of the minute, and not all at once.
  if (clock === "real") await new Promise((resolve) => setTimeout(resolve, (seed * 7919) % 60_000));
  try {
    const record = await recordSwitch(trial.area, mutant, { exam: trial.exam, seed: seed + 1, variants, time: clock });
    return () => ({ ...trial, ...outcomeOf(judgeLimits({ ...record, strict: false })) });
  } catch (error) {
    const empty = { failed: [], advised: [], open: [], messages: [], unexplained: false, minutes: 0, requests: 0 };
    return () => ({ ...trial, ...empty, error: error instanceof Error ? error.message : String(error) });
  }
}

function variantsOf(personality: string): readonly string[] {
  return limitPersonalities.find(({ name }) => name === personality)!.variants;
}

function outcomeOf({ findings, occurrences, result }: LimitsJudgement): Omit<Reported, keyof Trial> {
  const rows = (verdict: string): readonly string[] => [
    ...findings.filter((finding) => finding.verdict === verdict).map(({ check }) => check ?? ""),
    ...occurrences.filter(({ outcome }) => outcome === verdict).map(({ requirement }) => requirement),
  ];
  return {
    failed: [...new Set(rows("fail"))],
    advised: [...new Set(rows("advisory"))],
    unexplained: result.policies.some(({ tier }) => tier === "unexplained"),
    open: result.policies.filter(({ verdict }) => verdict === "inconclusive").map(({ id, summary }) => `${id}: ${summary}`),
    minutes: result.spent.minutes,
    requests: result.spent.requests,
    messages: findings.map(({ message }) => message),
  };
}

function isExcused({ unobservable, laterReset }: Reported): boolean {
  return unobservable === true || laterReset === true;
}

function printTable(reported: readonly Reported[]): void {
  const names = limitPersonalities.map(({ name }) => name);
  console.log(`| defect | ${names.join(" | ")} |\n|---|${names.map(() => "---").join("|")}|`);
  const ids = [...new Set(reported.map(({ mutant }) => mutant))].filter((id) => id !== null);
  const cellOf = (one: Reported | undefined): string => {
    if (one === undefined) return "";
    if (one.error !== undefined) return `error: ${one.error}`;
    const check = one.failed.find((id) => id.includes("."));
    if (one.failed.length > 0) return check ?? one.failed[0]!;
    if (isExcused(one)) return "-";
    return one.unexplained ? "(unexplained)" : one.advised.length > 0 ? `(${one.advised[0]})` : "not reported";
  };
  for (const id of ids) {
    const cells = names.map((name) => cellOf(reported.find((one) => one.mutant === id && one.personality === name)));
    console.log(`| ${id} | ${cells.join(" | ")} |`);
  }
  const lawful = reported.filter(({ mutant }) => mutant === null);
  const broken = reported.filter((one) => one.mutant !== null && !isExcused(one));
  const failed = broken.filter((one) => one.failed.length > 0);
  const share = (part: number, whole: number): string => `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`;
  console.log(`\n${share(failed.length, broken.length)} defective services fail`);
  for (const name of names) {
    const here = broken.filter(({ personality }) => personality === name);
    console.log(`${name}: ${share(here.filter((one) => one.failed.length > 0).length, here.length)}`);
  }
  console.log(`${lawful.filter((one) => one.failed.length > 0).length} of ${lawful.length} lawful exams accused`);
  console.log(`${lawful.filter(({ unexplained }) => unexplained).length} of ${lawful.length} lawful exams unexplained`);
}
