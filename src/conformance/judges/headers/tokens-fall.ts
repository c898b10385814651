import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { apart } from "../../judging/apart.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { keySeries } from "../../judging/key-series.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";

/** An answer of fewer tokens may lower the number by one, as a request does. */
const leastTokens = 4;
/** So many steps of one in a row are no accident. */
const stepsNeeded = 6;

interface Step {
  readonly from: ExchangeFacts;
  readonly to: ExchangeFacts;
  readonly fall: number;
}

/** The tokens that remain fall by tokens: a number that falls by one for each request, whatever it used, is that of requests. */
export const tokensFall: RunJudge = {
  scope: "run",
  id: "tokens-fall",
  covers: ["RATE-047"],
  conclusive: true,
  *judge(exchanges): Iterable<Occurrence> {
    for (const [name, own] of keySeries(exchanges)) {
      const steps = stepsOf(apart(own));
      if (steps.length < stepsNeeded) continue;
      const [first] = steps;
      const last = steps.at(-1);
      const isOfRequests = steps.every(({ fall }) => fall === 1);
      const subject = { requirement: "RATE-047", exchanges: [last?.to.seq ?? 0, first?.from.seq ?? 0] };
      yield passOrFail(subject, !isOfRequests, () => ({
        place: name,
        kind: "x-ratelimit-remaining-tokens falls by one for each request ()",
        around: ["x-ratelimit-remaining-tokens falls by one for each request (", ")"],
        expected: "the tokens that remain in the window",
        observed: `${steps.length} answers of ${leastTokens} tokens or more, each of which takes 1 off`,
      }));
    }
  },
};

/** Two answers after each other, of which the second used tokens and took one request off: no window ended between them. */
function stepsOf(served: readonly ExchangeFacts[]): readonly Step[] {
  return served.flatMap((to, place) => {
    const from = served[place - 1];
    if (from === undefined || !to.isSuccess || !from.isSuccess || (to.usage?.totalTokens ?? 0) < leastTokens) return [];
    const [before, after] = [from.rateLimit, to.rateLimit];
    if (fallOf(before.requests.remaining, after.requests.remaining) !== 1) return [];
    const fall = fallOf(before.tokens.remaining, after.tokens.remaining);
    return fall === null || fall < 1 ? [] : [{ from, to, fall }];
  });
}

function fallOf(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : before - after;
}
