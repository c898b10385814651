import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { between } from "../../../core/exchange/instant.ts";
import { momentsOf } from "../../../core/exchange/moments.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import { isUnplannedTrouble, troubleOf } from "../../judging/trouble.ts";
import { type LabelSeries, labelSeries } from "../../judging/label-series.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { announcedWaitMs } from "../limits/announced-wait.ts";

const requirement = "AUTH-037";

/** Why a key is none that is valid. The unknown one is presented last. */
export type DeadKeyState = "almost" | "expired" | "revoked" | "unknown";

/** Labels of requests without a valid key, before a limit of another key is used up and while it is. */
export const deadKeyLabels: {
  readonly before: string;
  readonly beforeAgain: string;
  readonly while: LabelSeries<[state: DeadKeyState]>;
} = {
  before: "dead-before",
  beforeAgain: "dead-before-again",
  while: labelSeries("dead-while"),
};

/** A limit is that of a key: who presents none that is valid is answered 401, also while a limit of somebody else is used up. */
export const credentialsBeforeLimits: RunJudge = {
  scope: "run",
  id: "credentials-before-limits",
  covers: [requirement],
  *judge(exchanges): Iterable<Occurrence> {
    for (const probe of exchanges.filter(deadKeyLabels.while.has)) {
      const earlier = exchanges.filter(({ caseId, seq }) => caseId === probe.caseId && seq < probe.seq);
      const before = earlier.findLast(({ label }) => label === deadKeyLabels.before || label === deadKeyLabels.beforeAgain);
      const refusal = earlier.findLast(({ intent, status }) => intent.kind === "limit" && status === 429);
      const last = exchanges.find(
        ({ caseId, label, attempt }) =>
          caseId === probe.caseId && label === deadKeyLabels.while.label("unknown") && attempt === probe.attempt,
      );
      if (before !== undefined && refusal !== undefined) yield judgeProbe(probe, { before, refusal, last });
    }
  },
};

interface Surroundings {
  readonly before: ExchangeFacts;
  /** Of the key whose limit is used up. */
  readonly refusal: ExchangeFacts;
  /** The last bad credential at that moment. */
  readonly last: ExchangeFacts | undefined;
}

function judgeProbe(probe: ExchangeFacts, { before, refusal, last }: Surroundings): Occurrence {
  const subject = { requirement, exchanges: [probe.seq, refusal.seq, before.seq] };
  const doubt = (message: string): Occurrence => ({ ...subject, outcome: "inconclusive", message });
  // A service that refuses such callers at any time holds back those who guess keys, which no sentence forbids.
  if (before.status !== 401)
    return doubt(`a bad credential is answered ${describeAnswer(before)} before a limit is used up as well`);
  if (probe.status !== 429 && isUnplannedTrouble(probe)) return doubt(troubleOf(probe));
  if (probe.status !== 401) {
    return {
      ...subject,
      outcome: "fail",
      // Others are refused rightly before it and after it: no guard against guesses came between.
      conclusive: last?.status === 401,
      kind: "a bad credential is not answered 0 while the limit of another key is used up",
      message: "a bad credential is not answered 401 while the limit of another key is used up",
      expected: "401, as before",
      observed: describeAnswer(probe),
    };
  }
  const usedUpMs = Math.max(1000, announcedWaitMs(refusal, "shortest") ?? 0);
  return between(momentsOf(refusal).ended, momentsOf(probe).sent).mostMs < usedUpMs
    ? { ...subject, outcome: "pass" }
    : doubt("the limit may have been given back before the bad credential was presented");
}
