import type { Exchange } from "../../core/exchange/exchange.ts";
import { type ExchangeFacts, factsOf } from "../../core/exchange/exchange-facts.ts";
import type { Finding } from "../../core/result/finding.ts";
import type { Occurrence } from "../../core/result/occurrence.ts";
import type { Sender } from "../../core/exchange/send-request.ts";
import type { NamedSecret } from "../../core/named-secret.ts";
import { isUnplannedTrouble, troubleOf } from "../judging/trouble.ts";
import { framingOf, statesFraming } from "../judging/is-framing-refusal.ts";
import { rebuildRequest } from "./rebuild-request.ts";
import { judgeExchanges } from "../verdict/judge-exchanges.ts";
import type { Judge, JudgeContext } from "../judging/judge.ts";

export interface Replay {
  readonly outcome: "fixed" | "still fails" | "inconclusive";
  readonly reason: string;
  readonly exchanges: readonly Exchange[];
}

export interface ReplayOptions {
  readonly finding: Finding;
  /** The saved record of the run. */
  readonly exchanges: readonly Exchange[];
  readonly sender: Sender;
  readonly judges: readonly Judge[];
  readonly context: JudgeContext;
  /** Values of the manifest that the record shows by their names. */
  readonly secrets?: readonly NamedSecret[];
  readonly signal: AbortSignal;
}

/**
 * Sends the requests of the finding's case again, in their order on a fresh connection, and lets the same judge look.
 * Requests that cannot be rebuilt from the record (a distorted key, a body that was cut) leave the finding inconclusive, unless they
 * are other refusals of the case, which the one in question does not depend on.
 */
export async function replayFinding(options: ReplayOptions): Promise<Replay> {
  const { finding, exchanges, judges, context } = options;
  const judge = judges.find((one) => one.id === finding.check);
  if (judge === undefined || finding.requirement === null) return unclear("the finding is not one of a conformance judge");
  const seq = subjectOf(finding, judgeExchanges(exchanges, [judge], context));
  const subject = exchanges.find((exchange) => exchange.seq === seq);
  if (subject === undefined) return unclear("the record does not hold the exchange of the finding");
  const script = [...requestsToReplay(subject, exchanges), ...acceptedAlike(factsOf(subject), options)];
  const requests = script.map((exchange) => ({ exchange, request: rebuildRequest(exchange, options.signal, options.secrets) }));
  if (requests.some(({ exchange, request }) => request === null && !isAside(exchange, subject)))
    return unclear("a request of this case cannot be rebuilt from the record");
  const sent: Exchange[] = [];
  for (const { request } of requests) if (request !== null) sent.push(await options.sender.send(request));
  const again = sent.map(factsOf).find((exchange) => exchange.label === subject.label);
  if (again === undefined || (isUnplannedTrouble(again) && !isUnplannedTrouble(factsOf(subject)))) {
    return { outcome: "inconclusive", reason: again === undefined ? "nothing was sent" : troubleOf(again), exchanges: sent };
  }
  const occurrences = judgeExchanges(sent, [judge], context).filter((one) => one.requirement === finding.requirement);
  const own = occurrences.filter((one) => one.exchanges.includes(again.seq));
  const relevant = own.length > 0 ? own : occurrences;
  const violated = relevant.find((one) => one.outcome === "fail" || one.outcome === "advisory");
  if (violated !== undefined) return { outcome: "still fails", reason: violated.message ?? finding.message, exchanges: sent };
  // A fault in a 429 is not mended because none came this time.
  if (judge.boundByIntent !== true && factsOf(subject).response?.status === 429 && again.response?.status !== 429)
    return { outcome: "inconclusive", reason: "the finding is about a 429, and none came this time", exchanges: sent };
  const passed = relevant.some((one) => one.outcome === "pass" || one.outcome === "observed");
  return passed
    ? { outcome: "fixed", reason: "the same requests are answered as the specification states", exchanges: sent }
    : { outcome: "inconclusive", reason: relevant[0]?.message ?? "the answer is no subject of the requirement", exchanges: sent };
}

/**
 * One defect is one finding, and it cites what other judges saw of other cases as well, perhaps first: replayed is what its own
 * judge saw of its own requirement.
 */
function subjectOf({ requirement, exchanges, forms }: Finding, occurrences: readonly Occurrence[]): number | undefined {
  const cited = new Set([...exchanges, ...forms.map(({ exchange }) => exchange)]);
  const own = occurrences.find(
    (one) =>
      one.requirement === requirement &&
      (one.outcome === "fail" || one.outcome === "advisory") &&
      one.exchanges[0] !== undefined &&
      cited.has(one.exchanges[0]),
  );
  return own?.exchanges[0] ?? exchanges[0];
}

/** Whether the subject means the same without this request: another refusal of the case prepares nothing, and is nobody's twin. */
function isAside({ seq, intent }: Exchange, subject: Exchange): boolean {
  return intent.kind === "violates" && seq !== subject.seq;
}

function unclear(reason: string): Replay {
  return { outcome: "inconclusive", reason, exchanges: [] };
}

/** First attempts of the case up to the subject: a twin or an earlier step may decide the verdict. */
function requestsToReplay(subject: Exchange, exchanges: readonly Exchange[]): readonly Exchange[] {
  if (subject.stage !== "conformance") return [subject];
  return exchanges
    .filter(
      (exchange) => exchange.caseId === subject.caseId && exchange.retryOf === null && exchange.intent.kind !== "housekeeping",
    )
    .toSorted((one, other) => one.seq - other.seq);
}

/** A refusal of a body sent in chunks or after 100 Continue means something where a valid one was accepted that was sent like it. */
function acceptedAlike(subject: ExchangeFacts, { exchanges, signal, secrets }: ReplayOptions): readonly Exchange[] {
  if (subject.intent.kind !== "violates" || !statesFraming(subject)) return [];
  const twin = exchanges.find((exchange) => {
    if (exchange.endpoint !== subject.endpoint || exchange.intent.kind !== "valid" || exchange.stage !== "conformance")
      return false;
    const facts = factsOf(exchange);
    return facts.isSuccess && framingOf(facts) === framingOf(subject) && rebuildRequest(exchange, signal, secrets) !== null;
  });
  return twin === undefined || twin.caseId === subject.caseId ? [] : [twin];
}
