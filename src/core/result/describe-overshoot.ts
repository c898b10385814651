import type { Overshoot } from "./limits-result.ts";

/** `the fullest window admitted 1,120 tokens by 31 answers, 120 above its limit; ...` */
export function describeOvershoot({ limit, used, answers, atOnce, inFlight, withoutUsage }: Overshoot): string {
  const by = `by ${number(answers)} ${answers === 1 ? "answer" : "answers"}`;
  const admitted =
    used > limit
      ? `the fullest window admitted ${number(used)} tokens ${by}, ${number(used - limit)} above its limit`
      : `no window admitted more than its limit: ${number(used)} of ${number(limit)} tokens at most, ${by}`;
  const bound = `charged as they end, requests can bring at most ${number(atOnce)} tokens above ${number(limit)}, ${number(inFlight)} in flight`;
  const unknown = withoutUsage === 0 ? "" : `; ${number(withoutUsage)} more without usage are not counted`;
  return `${admitted}; ${bound}${unknown}`;
}

function number(value: number): string {
  return value.toLocaleString("en");
}
