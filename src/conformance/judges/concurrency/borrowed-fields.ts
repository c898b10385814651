import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { bySending, isOverBefore } from "../../../core/exchange/moments.ts";
import { groupBy } from "../../../core/group-by.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";
import { isAnswered } from "../../judging/subjects.ts";

const requirement = "RATE-046";
/** A reset in seconds may be rounded either way. */
const resetSlackMs = 2000;

/** An answer with the window that it states. */
interface Stated {
  readonly exchange: ExchangeFacts;
  readonly key: string;
  readonly remaining: number;
  readonly resetMs: number;
}

/**
 * The fields of an answer are those of the key that asked, not of the one that asked the same just before, as where an answer is kept
 * with its header fields. An answer is accused only if it lies outside of the window that its own key states before and after it, states
 * the very pair that another key was answered last, and both keys count by their own requests around it: instances that count apart do not.
 */
export const borrowedFields: RunJudge = {
  scope: "run",
  id: "borrowed-fields",
  covers: [requirement],
  *judge(exchanges): Iterable<Occurrence> {
    const stated = exchanges.filter(({ stage }) => stage === "conformance").flatMap(readStated);
    const inOrder = stated.toSorted((one, other) => bySending(one.exchange, other.exchange));
    for (const answers of groupBy(inOrder, ({ exchange }) => exchange.endpoint ?? "").values()) yield* judgeOperation(answers);
  },
};

function readStated(exchange: ExchangeFacts): readonly Stated[] {
  const { remaining, reset } = exchange.rateLimit.requests;
  const { endpoint, keyName: key } = exchange;
  if (!isAnswered(exchange) || !exchange.isSuccess || endpoint === null || key === null) return [];
  return remaining === null || reset?.kind !== "instant" ? [] : [{ exchange, key, remaining, resetMs: reset.unixMs }];
}

function* judgeOperation(answers: readonly Stated[]): Iterable<Occurrence> {
  const passed = new Set<string>();
  const byKey = groupBy(answers, ({ key }) => key);
  for (const answer of answers) {
    const lender = findLender(answers, answer);
    const series: readonly Stated[] = byKey.get(answer.key) ?? [];
    const at = series.indexOf(answer);
    const [before, after] = [series[at - 1], series[at + 1]];
    if (lender === null || before === undefined || after === undefined || isSame(lender, before)) continue;
    const isFramed = isOverBefore(before.exchange, answer.exchange) && isOverBefore(answer.exchange, after.exchange);
    if (!isFramed || !countsOwn(series, before, after) || !isCounted(byKey.get(lender.key) ?? [], lender)) continue;
    const isOutside =
      answer.remaining > before.remaining ||
      answer.remaining < after.remaining ||
      Math.abs(answer.resetMs - before.resetMs) > resetSlackMs;
    const isBorrowed = isOutside && isSame(answer, lender);
    if (!isBorrowed && passed.has(answer.key)) continue;
    passed.add(answer.key);
    const seqs = [answer, lender, before, after].map(({ exchange }) => exchange.seq);
    yield passOrFail({ requirement, exchanges: seqs }, !isBorrowed, () => ({
      kind: "the rate-limit fields of an answer are those of the key that asked the same before",
      expected: `${after.remaining} to ${before.remaining} remaining until ${instantOf(before)}, as the key ${answer.key} is answered before and after`,
      observed: `${answer.remaining} remaining until ${instantOf(answer)}, as #${lender.exchange.seq} says to the key ${lender.key}`,
    }));
  }
}

/** The last answer to another key that was over before this request left. */
function findLender(answers: readonly Stated[], { exchange, key }: Stated): Stated | null {
  const at = answers.findIndex((one) => one.exchange === exchange);
  for (let place = at - 1; place >= 0; place -= 1) {
    const one = answers[place];
    if (one !== undefined && one.key !== key && isOverBefore(one.exchange, exchange)) return one;
  }
  return null;
}

function isSame(one: Stated, other: Stated): boolean {
  return one.remaining === other.remaining && one.resetMs === other.resetMs;
}

/** Between two answers of one window the number falls, by no more than the key sent since the first one was stated. */
function countsOwn(series: readonly Stated[], before: Stated, after: Stated): boolean {
  const fall = before.remaining - after.remaining;
  const since = series.findIndex((one) => isSame(one, before));
  return before.resetMs === after.resetMs && fall > 0 && fall <= series.indexOf(after) - since;
}

/** An earlier answer of the same key and another number bears it out. */
function isCounted(series: readonly Stated[], lender: Stated): boolean {
  return series.slice(0, series.indexOf(lender)).some((one) => !isSame(one, lender) && countsOwn(series, one, lender));
}

function instantOf({ resetMs }: Stated): string {
  return new Date(resetMs).toISOString();
}
