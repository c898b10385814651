import { specifiedEndpoints } from "../../../core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { groupBy } from "../../../core/group-by.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";

const requirement = "AUTH-038";
const described: ReadonlySet<string> = new Set(specifiedEndpoints);

/** Keys that were valid once; others have rows of their own, and a new key becomes known bit by bit. */
const formerKeys = ["rotated"] as const;

/**
 * A key that one operation refuses with 401 is served by no other one. A rotated key may have a period of grace, in which it is served
 * everywhere. The order shows that none ended meanwhile: the key is refused, served elsewhere, and refused again.
 */
export const oneStateOfAKey: RunJudge = {
  scope: "run",
  id: "one-state-of-a-key",
  covers: [requirement],
  *judge(exchanges): Iterable<Occurrence> {
    for (const key of formerKeys) {
      const own = exchanges.filter(({ keyName, endpoint }) => keyName === key && endpoint !== null && described.has(endpoint));
      // A repetition is a statement of its own.
      for (const round of groupBy(own, ({ caseId, attempt }) => `${caseId} ${attempt}`).values()) {
        yield* judgeRound(round, (exchange) => isOpen(exchange, exchanges));
      }
    }
  },
};

function* judgeRound(round: readonly ExchangeFacts[], isUnchecked: (exchange: ExchangeFacts) => boolean): Iterable<Occurrence> {
  const refused = round.filter(({ status }) => status === 401);
  const [first, last] = [refused[0], refused.at(-1)];
  if (first === undefined || last === undefined) return;
  const served = round.find(
    (exchange) => exchange.isSuccess && exchange.seq > first.seq && exchange.seq < last.seq && !isUnchecked(exchange),
  );
  const seqs = [...(served === undefined ? [] : [served.seq]), first.seq, last.seq];
  yield passOrFail({ requirement, exchanges: [...new Set(seqs)] }, served === undefined, () => ({
    kind: "a key that one operation refuses with 401 is served by another one",
    expected: `401 from ${served?.endpoint}, as from ${first.endpoint} before and ${last.endpoint} after`,
    observed: served === undefined ? "" : describeAnswer(served),
  }));
}

/** An operation that serves a key that nobody has checks no key at all, which other rows say. */
function isOpen({ endpoint }: ExchangeFacts, exchanges: readonly ExchangeFacts[]): boolean {
  return exchanges.some(
    (exchange) =>
      exchange.endpoint === endpoint &&
      exchange.isSuccess &&
      exchange.intent.kind === "violates" &&
      (exchange.intent.condition === "no-credentials" ||
        (exchange.intent.condition === "bad-credentials" && exchange.keyName === null)),
  );
}
