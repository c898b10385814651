import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { readUsageReport } from "../usage/usage-report.ts";
import { effectLabels, effectSeries, refusedType } from "./effect-labels.ts";

const caseId = "settings/refused-account-changes";
const requirement = "ACC-013";
const member = "account_spend_cap";

/** The ceiling that a refused change asks for: the smallest one that means the same everywhere, below the spend of a run. */
export const refusedCapCents = 1;

const spentLabels: ReadonlySet<string> = new Set([effectLabels.spent, effectLabels.spentThen]);

/**
 * A change of the account that was refused is not carried out. Two things show one that is: an account that has spent more than the
 * ceiling that was asked for is refused from then on, and where a change is answered with the settings, they name that ceiling.
 */
export const accountEffect: RunJudge = {
  scope: "run",
  id: "account-effect",
  covers: [requirement],
  *judge(exchanges): Iterable<Occurrence> {
    const own = exchanges.filter((exchange) => exchange.caseId === caseId);
    const starts = own.filter(({ label }) => label === effectLabels.twin);
    for (const [index, start] of starts.entries()) {
      const until = starts[index + 1]?.seq ?? Number.POSITIVE_INFINITY;
      const from = starts[index - 1]?.seq ?? 0;
      const spent = own.findLast(({ label, seq }) => spentLabels.has(label) && seq > from && seq < start.seq);
      yield* judgeRound(
        own.filter(({ seq }) => seq >= start.seq && seq < until),
        start,
        spent,
      );
    }
  },
};

function* judgeRound(
  round: readonly ExchangeFacts[],
  twin: ExchangeFacts,
  spent: ExchangeFacts | undefined,
): Iterable<Occurrence> {
  const changes = round.filter(effectSeries.refused.has);
  const refused = changes.filter(({ status }) => status !== null && status >= 400 && status < 500);
  // A wrong type may be converted, and is undone by the case; what else is let through has a row of its own.
  const isClean = changes.every((change) => refused.includes(change) || change.label === refusedType);
  const after = round.filter(effectSeries.after.has);
  const last = after.at(-1);
  if (!twin.isSuccess || !isClean || refused.length === 0 || last === undefined) return;
  const subject = { requirement, exchanges: [twin.seq, ...refused.map(({ seq }) => seq), last.seq] };
  const held = after.filter(isCapped);
  const shown = capOf(round.find(({ label }) => label === effectLabels.readBack));
  if (held[0] !== undefined || shown === refusedCapCents) {
    yield {
      ...subject,
      outcome: "fail",
      conclusive: shown === refusedCapCents || held.length === after.length,
      kind: "a change of the account that was refused is carried out",
      expected: `${after.length} answers with 2xx and the ceiling that was set before`,
      observed: held[0] === undefined ? `${member} ${shown}` : describeAnswer(held[0]),
    };
    return;
  }
  if (!after.every(({ isSuccess }) => isSuccess)) return;
  const spentCents = spent === undefined ? null : (readUsageReport(spent)?.totalCostUsd ?? null);
  const wouldShow = (spentCents ?? 0) * 100 > refusedCapCents || (shown !== null && shown === capOf(twin));
  yield wouldShow
    ? { ...subject, outcome: "pass" }
    : {
        ...subject,
        outcome: "observed",
        message: "the ceiling of the account after refused changes",
        answer: "nothing shows the ceiling: the account has not spent a cent, and no answer names its settings",
      };
}

/** Refused, and not for a window that is used up. */
function isCapped(exchange: ExchangeFacts): boolean {
  const cause = exchange.rejectCause;
  return exchange.status === 429 && cause !== "requests" && cause !== "tokens";
}

function capOf(exchange: ExchangeFacts | undefined): number | null {
  const cap = exchange?.isSuccess === true ? exchange.responseObject?.[member] : undefined;
  return typeof cap === "number" ? cap : null;
}
