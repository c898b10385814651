import type { CachedTokens } from "../../core/result/cache-count.ts";
import type { LaterRequests } from "../../core/result/leaving-count.ts";
import type { LengthCount, LoadProfileResult, RepeatEnd } from "../../core/result/load-result.ts";
import { formatCount, formatMs, formatNumber, formatPercent } from "./format-number.ts";

/** `40 planned, 20 sent, 20 not sent, 10 completed`: parts that are 0 are left out. */
export function requestWords({ counts }: LoadProfileResult): string {
  const { planned, sent, completed, retried, resent = 0, unsent = 0 } = counts;
  return [
    `${formatCount(planned)} planned`,
    `${formatCount(sent)} sent`,
    ...(retried === 0 ? [] : [`${formatCount(retried)} of them repetitions`]),
    ...(unsent === 0 ? [] : [`${formatCount(unsent)} not sent`]),
    ...(resent === 0 ? [] : [`${formatCount(resent)} sent anew on another connection`]),
    `${formatCount(completed)} completed`,
  ].join(", ");
}

/** `prompts 256 asked, 264 counted (0 % of 300 as asked)`; empty where nothing has both numbers. */
export function lengthWords({ lengths }: LoadProfileResult): string {
  const words = (what: string, how: string, count: LengthCount | null): readonly string[] => {
    if (count === null) return [];
    const each = (sum: number): string => formatNumber(sum / count.requests);
    const share = formatPercent(count.exact / count.requests);
    return [
      `${what} ${each(count.asked)} asked, ${each(count.counted)} ${how} (${share} of ${formatCount(count.requests)} as asked)`,
    ];
  };
  if (lengths === undefined) return "";
  return [...words("prompts", "counted", lengths.prompt), ...words("answers", "got", lengths.output)].join("; ");
}

/** One line for each figure of all runs of a profile: mean, spread between runs and within one. */
export function repeatLines({ repeats }: LoadProfileResult): readonly string[] {
  if (repeats === undefined) return [];
  return repeats.figures.map(({ name, unit, mean, low, high, between, within }) => {
    const show = (value: number): string => (unit === "ms" ? formatMs(value) : `${formatNumber(value)} ${unit}`);
    const spread = `between runs ${show(between)}${within === null ? "" : `, within one ${show(within)}`}`;
    return `${name.toLowerCase()} ${show(mean)} over ${repeats.runs} runs, 95 % ${show(Math.max(0, low))} to ${show(high)}; ${spread}`;
  });
}

/** `ended after 6 of at most 10 runs: ...`; empty where the runs of a profile do not end by themselves. */
export function repeatEndWords({ repeats }: LoadProfileResult): string {
  if (repeats?.end === undefined) return "";
  const { runs, planned, end } = repeats;
  const { figure, halfWidth, isShare = false, why } = end.widest;
  const show = (part: number): string => (isShare ? `±${formatNumber(100 * part)} points` : `±${formatPercent(part)}`);
  const wanted = show(end.until);
  const chosen = chosenWords(end);
  const width = halfWidth === null ? "" : show(halfWidth);
  const broken = `broken off after ${runs} of at most ${planned} runs`;
  const open =
    halfWidth === null
      ? `no interval can be stated of ${figure} (${why ?? ""})`
      : `the interval of ${figure} is ${width}${why === null ? "" : ` (${why})`}`;
  switch (end.reason) {
    case "narrow":
      return `ended after ${runs} of at most ${planned} runs: 95 % intervals within ${wanted} of the mean, the widest ${width} (${figure})${chosen}`;
    case "most-runs":
      return `ended after ${planned} runs, the most allowed: ${open}, and ${wanted} was asked for${chosen}`;
    case "broken-off":
      return `${broken}: ${open}, and ${wanted} was asked for${chosen}`;
    default:
      return end.reason satisfies never;
  }
}

/** The figures whose intervals were to be narrow, and why these; empty where it is that of the only gate, and in results of older versions. */
function chosenWords({ figures = [], basis }: RepeatEnd): string {
  if (figures.length === 0 || (basis === "gates" && figures.length === 1)) return "";
  const names = figures.join(", ");
  return basis === "gates"
    ? `; of the figures of its gates: ${names}`
    : `; of latencies and rates, as no gate bounds a figure that has an interval: ${names.toLowerCase()}`;
}

/** `0.21 ms, 0.18 ms at least (TCP connect, 5 connections before the load)`; empty where it was not measured. */
export function networkWords({ network }: LoadProfileResult): string {
  if (network === undefined) return "";
  const { medianMs, minMs, connections } = network;
  return `${formatMs(medianMs)}, ${formatMs(minMs)} at least (TCP connect, ${formatCount(connections)} connections before the load)`;
}

/** `54 % of 12,000 prompt tokens`, by turn and by conversation where there are any; empty where no answer says. */
export function cacheWords({ cache }: LoadProfileResult): string {
  if (cache === undefined) return "";
  const rate = ({ promptTokens, cachedTokens }: CachedTokens): string =>
    promptTokens === 0 ? "–" : formatPercent(cachedTokens / promptTokens, 0);
  const { requests, promptTokens, turns, sessions } = cache;
  const shown = turns.slice(0, 4).map((each) => `turn ${each.turn} ${rate(each)}`);
  return [
    `${rate(cache)} of ${formatCount(promptTokens)} prompt tokens of ${formatCount(requests)} answers`,
    ...(shown.length === 0 ? [] : [`${shown.join(", ")}${turns.length > shown.length ? " …" : ""}`]),
    ...(sessions === null
      ? []
      : [
          `${formatCount(sessions.hitAlways)} of ${formatCount(sessions.count)} conversations hit in each later turn, ${formatCount(sessions.count - sessions.hit)} in none`,
        ]),
  ].join("; ");
}

/** Whether the target answers from a cache of responses; empty where nobody asked. */
export function cacheAuditWords({ cacheAudit }: LoadProfileResult): string {
  if (cacheAudit === undefined) return "";
  const { verdict, signs, fresh, repeated } = cacheAudit;
  const times = `fresh prompts p50 ${formatMs(fresh.medianMs)}, repeated ones ${formatMs(repeated.medianMs)}`;
  switch (verdict) {
    case "cached":
      return `answers come from a response cache: ${signs.join("; ")}; ${times}`;
    case "not-cached":
      return `no sign of one; ${times}`;
    case "unclear":
      return `too few of the ${formatCount(fresh.requests + repeated.requests)} answers to say`;
    default:
      return verdict satisfies never;
  }
}

/** `24 of 25 left, 2 of them before the head`, and how those that came after them were served; empty where no client goes. */
export function leavingWords({ leaving, usageCheck }: LoadProfileResult): string {
  if (leaving === undefined) return "";
  const { clients, left, beforeHead, few, many, streaming, keepsSlots } = leaving;
  const later = ({ met, refused, ttftP50 }: LaterRequests): string =>
    [
      formatNumber(met),
      `first token p50 ${ttftP50 === null ? "not known" : formatMs(ttftP50)}`,
      ...(refused === 0 ? [] : [`${formatCount(refused)} refused`]),
    ].join(", ");
  const slots = { true: "slots of clients that left stay taken", false: "no sign that their slots stay taken", null: "" };
  return [
    `${formatCount(left)} of ${formatCount(clients)} left${beforeHead === 0 ? "" : `, ${formatCount(beforeHead)} of them before the head`}`,
    many.met === 0
      ? "no request was sent while an answer that had been left would have gone on"
      : `requests that met ${later(few)}, that met ${later(many)}`,
    ...(streaming === null ? [] : [`streams at once: ${formatNumber(streaming.first)}, at last ${formatNumber(streaming.last)}`]),
    ...(usageCheck?.left === undefined ? [] : [`charged ${formatCount(usageCheck.left.tokens)} tokens`]),
    slots[`${keepsSlots}`],
  ]
    .filter((part) => part !== "")
    .join("; ");
}

/** `10 planned, 0 completed, 10 cancelled by a failure`; empty where the profile has none. */
export function conversationWords({ conversations }: LoadProfileResult): string {
  if (conversations === undefined) return "";
  const { planned, completed, cancelled, unfinished, notSent } = conversations;
  return [
    `${formatCount(planned)} planned`,
    `${formatCount(completed)} completed`,
    ...(cancelled === 0 ? [] : [`${formatCount(cancelled)} cancelled by a failure`]),
    ...(unfinished === 0 ? [] : [`${formatCount(unfinished)} cut by the end of the profile`]),
    ...(notSent === 0 ? [] : [`${formatCount(notSent)} never sent`]),
  ].join(", ");
}
