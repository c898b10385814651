import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { showValue } from "../../judging/json-value.ts";
import { readUsageReport, startsOf, type UsageReport } from "./usage-report.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";
import { roundsOf } from "../../judging/rounds-of.ts";

/** Labels of `usage/windows`: each question is framed by the same report before and after it, because usage may grow meanwhile. */
export const windowLabels = {
  frames: ["frame-1", "frame-2", "frame-3", "frame-4"],
  offset: "offset",
  hour: "granularity-hour",
  month: "granularity-month",
  omitted: "granularity-omitted",
  left: "left-part",
  leftOffset: "left-part-offset",
  right: "right-part",
  /** Whole days that end with the midnight before what was used. */
  daysBefore: "days-before",
  today: "today",
  /** Windows that have not begun: of next year, and those that begin soon, which a start that is moved back would fill. */
  futures: ["future", "later-today", "tomorrow"],
} as const;

/** One report, or several that are added, between two reports of the same window. */
interface Framed {
  readonly requirement: string;
  readonly labels: readonly string[];
  readonly kind: string;
}

const framedQuestions: readonly Framed[] = [
  {
    requirement: "USG-005",
    labels: [windowLabels.offset],
    kind: "the same window gives another aggregate with a numeric offset",
  },
  {
    requirement: "USG-030",
    labels: [windowLabels.hour],
    kind: "the aggregate of a window depends on the granularity (hour instead of day)",
  },
  {
    requirement: "USG-030",
    labels: [windowLabels.month],
    kind: "the aggregate of a window depends on the granularity (month instead of day)",
  },
  {
    requirement: "USG-031",
    labels: [windowLabels.left, windowLabels.right],
    kind: "two adjacent windows do not add up to their union",
  },
  {
    requirement: "USG-031",
    labels: [windowLabels.daysBefore, windowLabels.today],
    kind: "two adjacent windows of days do not add up to their union",
  },
];

/** Windows compared with each other: notation, granularity, adjacency, default and future. */
export const usageWindows: RunJudge = {
  scope: "run",
  id: "usage-windows",
  covers: ["USG-005", "USG-011", "USG-030", "USG-031", "USG-038"],
  *judge(exchanges): Iterable<Occurrence> {
    const own = exchanges.filter(({ caseId }) => caseId === "usage/windows");
    for (const round of roundsOf(own, (one) => one === own[0] || one.label === windowLabels.frames[0])) {
      const reports = new Map(round.map((exchange) => [exchange.label, readUsageReport(exchange)]));
      for (const question of framedQuestions) yield* judgeFramed(question, reports);
      yield* judgeOffset(reports);
      yield* judgeDefault(reports);
      for (const label of windowLabels.futures) yield* judgeFuture(reports.get(label) ?? null);
    }
  },
};

/** The window that ends with the last full hour: without its offset it would hold what was used since. */
function* judgeOffset(reports: Reports): Iterable<Occurrence> {
  const [plain, offset, since] = [windowLabels.left, windowLabels.leftOffset, windowLabels.right].map(
    (label) => reports.get(label) ?? null,
  );
  if (plain?.totalTokens == null || offset?.totalTokens == null || !since?.totalTokens) return;
  const subject = { requirement: "USG-005", exchanges: [plain.exchange.seq, offset.exchange.seq] };
  yield passOrFail(subject, plain.totalTokens === offset.totalTokens, () => ({
    kind: "the same window gives another aggregate with a numeric offset",
    expected: `${plain.totalTokens} tokens, as reported just before`,
    observed: `${offset.totalTokens} tokens`,
  }));
}

type Reports = ReadonlyMap<string, UsageReport | null>;

/** The nearest frames around the parts. */
function framesAround(reports: Reports, parts: readonly UsageReport[]): readonly [UsageReport, UsageReport] | null {
  const seqs = parts.map(({ exchange }) => exchange.seq);
  const frames = windowLabels.frames.map((label) => reports.get(label) ?? null).filter((frame) => frame !== null);
  const before = frames.findLast((frame) => frame.exchange.seq < Math.min(...seqs));
  const after = frames.find((frame) => frame.exchange.seq > Math.max(...seqs));
  return before === undefined || after === undefined ? null : [before, after];
}

function* judgeFramed({ requirement, labels, kind }: Framed, reports: Reports): Iterable<Occurrence> {
  const parts = labels.map((label) => reports.get(label) ?? null).filter((report) => report !== null);
  const frames = framesAround(reports, parts);
  if (frames === null || parts.length < labels.length) return;
  const tokens = parts.map(({ totalTokens }) => totalTokens);
  const [low, high] = [frames[0].totalTokens, frames[1].totalTokens];
  // Nothing used is nothing compared.
  if (low === null || high === null || high === 0 || !tokens.every((value) => value !== null)) return;
  const sum = tokens.reduce((total, value) => total + value, 0);
  const subject = {
    requirement,
    exchanges: [...parts.map(({ exchange }) => exchange.seq), ...frames.map(({ exchange }) => exchange.seq)],
  };
  const range = low === high ? `${low} tokens` : `between ${low} and ${high} tokens, as reported just before and after`;
  yield passOrFail(subject, sum >= low && sum <= high, () => ({ kind, expected: range, observed: `${sum} tokens` }));
}

/** The buckets without a granularity are those of days: no fewer than before, no more than after. */
function* judgeDefault(reports: Reports): Iterable<Occurrence> {
  const omitted = reports.get(windowLabels.omitted) ?? null;
  if (omitted === null) return;
  const frames = framesAround(reports, [omitted]);
  if (frames === null) return;
  const [found, before, after] = [startsIn(omitted), startsIn(frames[0]), startsIn(frames[1])];
  if (found === null || before === null || after === null || after.length === 0) return;
  const subject = { requirement: "USG-011", exchanges: [omitted.exchange.seq, ...frames.map(({ exchange }) => exchange.seq)] };
  const same = found.every((start) => after.includes(start)) && before.every((start) => found.includes(start));
  yield passOrFail(subject, same, () => ({
    kind: "without a granularity the buckets are not those of days",
    expected: showValue(after.map((start) => new Date(start).toISOString())),
    observed: showValue(found.map((start) => new Date(start).toISOString())),
  }));
}

function startsIn({ buckets }: UsageReport): readonly number[] | null {
  return buckets === null ? null : startsOf(buckets);
}

function* judgeFuture(report: UsageReport | null): Iterable<Occurrence> {
  if (report === null || report.totalTokens === null || report.totalCostUsd === null) return;
  const subject = { requirement: "USG-038", exchanges: [report.exchange.seq] };
  yield passOrFail(subject, report.totalTokens === 0 && report.totalCostUsd === 0, () => ({
    kind: "a window in the future reports usage",
    expected: "0 tokens and 0 dollars",
    observed: `${report.totalTokens} tokens and ${report.totalCostUsd} dollars`,
  }));
}
