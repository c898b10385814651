import { accountKeys } from "../../judging/account-keys.ts";
import { growthOf, growthOfKind, type UsageInterval, usageIntervals } from "../usage/usage-interval.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { isOverBefore } from "../../../core/exchange/moments.ts";
import type { Comparison, Relation } from "./relation.ts";

const kinds = { promptTokens: "prompt_tokens", completionTokens: "completion_tokens" } as const;
type Kind = keyof typeof kinds;

/** The cases that read a report before and after traffic of theirs, and what that was. */
const traffics: Readonly<Record<string, string>> = {
  "usage/reconciles": "plain answers and a batch of texts",
  "usage/at-once": "answers at the same time",
  "usage/covers-the-account": "an answer to another key of the account",
  "usage/counts-streams": "a stream",
  "core/refusals-at-once": "answers beside refusals",
};

function billOf(caseId: string, traffic: string, kind: Kind): Relation {
  const name = kinds[kind];
  return {
    id: `bill/${caseId.replace("/", "-")}/${name}`,
    requirement: "USG-046",
    says: "the report enters prompt and completion tokens otherwise than the answers state them",
    held: "account and time",
    varies: `the place where the tokens of ${traffic} are stated: in the answers, or in the report`,
    agrees: `${name}: the report grows by no less than the answers state, and by the same where all tokens grow by the same`,
    *compare(record) {
      for (const interval of usageIntervals(record, caseId)) yield* compareBill(record, interval, kind);
    },
  };
}

function* compareBill(record: readonly ExchangeFacts[], interval: UsageInterval, kind: Kind): Iterable<Comparison> {
  const { before, first, last } = interval;
  const growth = growthOfKind(before, last, kind);
  const answered = answersBetween(record, before.exchange, first.exchange);
  const stated = answered.reduce((sum, { usage }) => sum + (usage?.[kind] ?? 0), 0);
  if (growth === null || stated === 0) return;
  const all = answered.reduce((sum, { usage }) => sum + (usage?.totalTokens ?? 0), 0);
  // A report that is late in all tokens is late in each kind: rows on tokens as a whole are about that.
  if (growthOf(before, last) < all) return;
  const isWhole = growthOf(before, last) === all && answered.every(addsUp);
  yield {
    exchanges: [before.exchange.seq, last.exchange.seq, ...answered.slice(0, 3).map(({ seq }) => seq)],
    isProven: false,
    holds: isWhole ? growth === stated : growth >= stated,
    expected: `${isWhole ? "" : "at least "}${stated} ${kinds[kind]} more than before, as ${answered.length} answers state`,
    observed: `${growth} more`,
  };
}

function answersBetween(record: readonly ExchangeFacts[], before: ExchangeFacts, after: ExchangeFacts): readonly ExchangeFacts[] {
  return record.filter(
    (exchange) =>
      exchange.isSuccess &&
      exchange.endpoint !== "usage" &&
      isOverBefore(before, exchange) &&
      isOverBefore(exchange, after) &&
      accountKeys.has(exchange.keyName),
  );
}

/** An answer that states each kind, or none at all. */
function addsUp({ usage }: ExchangeFacts): boolean {
  if (usage === null) return true;
  const { promptTokens, completionTokens, totalTokens } = usage;
  return (promptTokens ?? 0) + (completionTokens ?? 0) === totalTokens;
}

export const billRelations: readonly Relation[] = Object.entries(traffics).flatMap(([caseId, traffic]) =>
  (Object.keys(kinds) as Kind[]).map((kind) => billOf(caseId, traffic, kind)),
);
