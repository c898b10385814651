import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "../../src/core/random.ts";
import { judgeLimits, type LimitsJudgement } from "../../src/limits/exam/judge-limits.ts";
import type { ExamDepth } from "../../src/limits/probe/probe-tools.ts";
import type { Mutant } from "../../src/reference/switches/switch.ts";
import { limitAreas, recordSwitch, type LimitArea, type SwitchRecord } from "../../test/limits/sockets/examine-switch.ts";
import { inTurn } from "../in-turn.ts";
import { isUnobservable, namesOnlyLaterResets } from "./unobservable.ts";
import { leftOut } from "./left-out.ts";
import { limitPersonalities } from "./personalities.ts";
import { watchTimers, type TimerLateness } from "./timer-lateness.ts";

export interface RealTimeKills {
  readonly mutants: readonly Mutant[];
  readonly exam: ExamDepth;
  /** Services that are examined at a time: an exam mostly waits. */
  readonly sideBySide: number;
  /** One JSON line an exam; what it holds already is not examined again. */
  readonly logPath: string;
  /** Of real time: one file an exam, which is judged again instead of being recorded again. */
  readonly recordsPath: string;
  /** An exam of real time during which one timer in a hundred was later than this is held again, twice at most, and left out then. */
  readonly latestMs: number;
  /** `real`: sixty seconds are waited for; `blind`: the same schedules on a clock that is moved by hand, one exam at a time. */
  readonly clock: "real" | "blind";
  /** Only these; empty: all. */
  readonly areas: readonly string[];
  readonly personalities: readonly string[];
  /** Draws the order of exams, so that those which were held until time was up are a sample. Lawful services come first. 0: as listed. */
  readonly shuffle: number;
  /** No exam begins later than this, in minutes. */
  readonly minutes: number;
}

interface Trial {
  readonly area: LimitArea;
  /** null: the lawful service itself. */
  readonly mutant: string | null;
  readonly personality: string;
  readonly exam: ExamDepth;
}

/** The record of an exam. */
interface Recorded extends SwitchRecord {
  /** How late the timers of the process were during this exam, ms. */
  readonly lateness?: Lateness;
}

type Lateness = ReturnType<TimerLateness["between"]>;

interface Reported extends Trial {
  readonly lateness?: Lateness;
  readonly failed: readonly string[];
  readonly advised: readonly string[];
  readonly unexplained: boolean;
  /** For a mutant that does not fail, on a clock moved by hand: the full exam is answered as by the lawful service. */
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
  const { mutants, exam, logPath, clock, areas, personalities, shuffle } = options;
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
  const left = inDrawnOrder(trials, shuffle).filter(
    (trial) =>
      !done.has(idOf(trial)) &&
      (areas.length === 0 || areas.includes(trial.area)) &&
      (personalities.length === 0 || personalities.includes(trial.personality)),
  );
  const judge = async (trial: Trial, recorded: Recorded | Error): Promise<void> => {
    const said = outcomeOf(trial, recorded);
    const mutant = mutants.find(({ id }) => id === said.mutant);
    const isOpen = mutant !== undefined && said.failed.length === 0 && said.error === undefined;
    const line = isOpen ? { ...said, ...(await excuseOf(said.area, mutant, variantsOf(said.personality), lawful)) } : said;
    reported.push(line);
    appendFileSync(logPath, `${JSON.stringify(line)}\n`);
  };
  if (clock === "blind") for (const [at, trial] of left.entries()) await judge(trial, await record(trial, at, options));
  else {
    const files = await recordAll(left, options);
    // Judging takes a processor for itself: it begins when no exam measures time any more.
    for (const [trial, recorded] of files) await judge(trial, recorded());
  }
  printTable([...known, ...reported].filter((one) => one.exam === exam));
}

/** Many exams at a time in one process; what they leave is read from its file when it is judged. */
async function recordAll(
  trials: readonly Trial[],
  options: RealTimeKills,
): Promise<readonly (readonly [Trial, () => Recorded | Error])[]> {
  const { recordsPath, sideBySide, latestMs, minutes } = options;
  mkdirSync(recordsPath, { recursive: true });
  const timers = watchTimers();
  const failures = new Map<Trial, Error>();
  const fileOf = (trial: Trial): string =>
    join(
      recordsPath,
      `${[trial.exam, trial.personality, trial.area, trial.mutant ?? "lawful"].join("-").replace(/[^\w-]+/g, "_")}.json`,
    );
  const readRecord = (trial: Trial): Recorded => JSON.parse(readFileSync(fileOf(trial), "utf8")) as Recorded;
  const isPunctual = ({ lateness }: Recorded): boolean => (lateness?.p99 ?? 0) <= latestMs;
  const begun = new Set<Trial>();
  const lastBeginMs = performance.now() + minutes * 60_000;
  await inTurn([...trials.entries()], sideBySide, async ([at, trial]) => {
    if (performance.now() > lastBeginMs) return;
    begun.add(trial);
    if (existsSync(fileOf(trial)) && isPunctual(readRecord(trial))) return;
    // Exams begin at different instants of the minute, and not all at once.
    if (at < sideBySide) await new Promise((resolve) => setTimeout(resolve, (at * 7919) % 60_000));
    for (let held = 0; held < 3 && performance.now() <= lastBeginMs; held += 1) {
      const fromMs = performance.now();
      const recorded = await record(trial, at, options);
      const lateness = timers.between(fromMs, performance.now());
      if (recorded instanceof Error) failures.set(trial, recorded);
      else {
        failures.delete(trial);
        writeFileSync(fileOf(trial), JSON.stringify({ ...recorded, lateness }));
        if (lateness.p99 <= latestMs) return;
      }
    }
    failures.set(trial, new Error("not measured: this machine was too busy"));
  });
  timers.stop();
  return trials.filter((trial) => begun.has(trial)).map((trial) => [trial, () => failures.get(trial) ?? readRecord(trial)]);
}

function inDrawnOrder(trials: readonly Trial[], seed: number): readonly Trial[] {
  if (seed === 0) return trials;
  const random = createRandom(seed);
  const drawn = trials.map((trial) => ({ trial, at: trial.mutant === null ? -1 : random.next() }));
  return drawn.toSorted((a, b) => a.at - b.at).map(({ trial }) => trial);
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

async function record(trial: Trial, seed: number, { mutants, clock }: RealTimeKills): Promise<Recorded | Error> {
  const mutant = mutants.find(({ id }) => id === trial.mutant) ?? null;
  const variants = variantsOf(trial.personality);
  try {
    return await recordSwitch(trial.area, mutant, { exam: trial.exam, seed: seed + 1, variants, time: clock });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function variantsOf(personality: string): readonly string[] {
  return limitPersonalities.find(({ name }) => name === personality)!.variants;
}

function outcomeOf(trial: Trial, recorded: Recorded | Error): Reported {
  if (recorded instanceof Error) {
    const empty = { failed: [], advised: [], open: [], messages: [], unexplained: false, minutes: 0, requests: 0 };
    return { ...trial, ...empty, error: recorded.message };
  }
  const { lateness } = recorded;
  return { ...trial, ...reportOf(judgeLimits({ ...recorded, strict: false })), ...(lateness === undefined ? {} : { lateness }) };
}

function reportOf({ findings, occurrences, result }: LimitsJudgement): Omit<Reported, keyof Trial> {
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
  const measured = reported.filter(({ error }) => error === undefined);
  const lawful = measured.filter(({ mutant }) => mutant === null);
  const broken = measured.filter((one) => one.mutant !== null && !isExcused(one) && !(one.mutant in leftOut));
  const failed = broken.filter((one) => one.failed.length > 0);
  const share = (part: number, whole: number): string => `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`;
  console.log(`\n${share(failed.length, broken.length)} defective services fail`);
  for (const name of names) {
    const here = broken.filter(({ personality }) => personality === name);
    if (here.length > 0) console.log(`${name}: ${share(here.filter((one) => one.failed.length > 0).length, here.length)}`);
  }
  console.log(`${lawful.filter((one) => one.failed.length > 0).length} of ${lawful.length} lawful exams accused`);
  console.log(`${lawful.filter(({ unexplained }) => unexplained).length} of ${lawful.length} lawful exams unexplained`);
  if (measured.length < reported.length) console.log(`${reported.length - measured.length} exams were not measured`);
  const late = measured.flatMap(({ lateness }) => lateness ?? []);
  if (late.length === 0) return;
  const [p99, most] = (["p99", "most"] as const).map((of) => Math.max(...late.map((one) => one[of])).toFixed(0));
  console.log(`timers of this process were late by ${p99} ms at p99 of the worst exam, ${most} ms at most`);
}
