import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import { showAnswer } from "../../judging/show-answer.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { groupBy } from "../../../core/group-by.ts";

/**
 * A mistake of the client that is the same each time must not end in a 5xx: a request that is wrong on purpose, or of which
 * the specification says nothing, answered 5xx on every attempt (the runner repeats it) fails.
 */
export const noServerError: RunJudge = {
  scope: "run",
  id: "no-server-error",
  covers: ["SVC-014"],
  conclusive: true,
  *judge(exchanges): Iterable<Occurrence> {
    const attempts = groupBy(exchanges.filter(isSubject), ({ retryOf, seq }) => retryOf ?? seq);
    // An operation that fails for everybody says nothing about mistakes.
    const working = new Set(exchanges.filter((one) => one.isSuccess).map(({ endpoint }) => endpoint));
    const everywhere = crashesEverywhere([...attempts.values()]);
    for (const group of attempts.values()) {
      const [first] = group;
      const subject = { requirement: "SVC-014", exchanges: group.map((exchange) => exchange.seq) };
      if (group.some((exchange) => (exchange.status ?? 0) < 500)) yield { ...subject, outcome: "pass" };
      else if (first.endpoint !== null && !working.has(first.endpoint)) {
        yield {
          ...subject,
          outcome: "inconclusive",
          message: "the operation answers no request, so the mistake may not be the cause",
        };
      } else if (group.length === 1) {
        yield { ...subject, outcome: "inconclusive", message: `answered ${describeAnswer(first)} once and not asked again` };
      } else {
        const { who, kind, expected } = blame(first, everywhere);
        yield {
          ...subject,
          outcome: "fail",
          kind,
          expected,
          message: `${who} makes the service fail: ${describeAnswer(first)} on each of ${group.length} attempts`,
          observed: showAnswer(first),
        };
      }
    }
  },
};

interface Blame {
  readonly who: string;
  readonly kind: string;
  readonly expected: string;
}

/** A request of which the specification says nothing may be refused or answered, and is not called wrong. */
function blame({ intent, endpoint, request }: ExchangeFacts, everywhere: ReadonlySet<string>): Blame {
  const condition = intent.kind === "violates" ? intent.condition : "";
  const kind = everywhere.has(condition) ? "crash everywhere" : `crash ${endpoint} ${request.method}`;
  return intent.kind === "probe-unspecified"
    ? {
        who: "a request that the specification does not show",
        kind: `${kind} unspecified`,
        expected: "an answer, or a 4xx answer that names what is not supported",
      }
    : { who: "a wrong request", kind, expected: "a 4xx answer that names the mistake" };
}

/** Conditions that make each operation fail at which they were tried, and that at two or more: they have one cause. */
function crashesEverywhere(attempts: readonly (readonly [ExchangeFacts, ...ExchangeFacts[]])[]): ReadonlySet<string> {
  const tried = groupBy(
    attempts.filter(([{ intent }]) => intent.kind === "violates"),
    ([{ intent }]) => (intent.kind === "violates" ? intent.condition : ""),
  );
  const isEverywhere = (groups: typeof attempts): boolean =>
    groups.every((group) => group.every(({ status }) => (status ?? 0) >= 500)) &&
    new Set(groups.map(([{ endpoint }]) => endpoint)).size > 1;
  return new Set([...tried].flatMap(([condition, groups]) => (isEverywhere(groups) ? [condition] : [])));
}

function isSubject({ intent, response }: ExchangeFacts): boolean {
  if (response === null || response.status === 501) return false;
  if (intent.kind === "probe-unspecified") return true;
  return intent.kind === "violates" && intent.condition !== "fault-trigger" && intent.condition !== "payment-required";
}
