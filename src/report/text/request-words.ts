import type { LaterRequests, LengthCount, LoadProfileResult } from "../../core/result/load-result.ts";
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
    `requests that met ${later(few)}, that met ${later(many)}`,
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
