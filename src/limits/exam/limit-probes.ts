import { burstProbe } from "../burst/burst-probe.ts";
import { requestProbe } from "../requests/request-probe.ts";
import { spendProbe } from "../spend/spend-probe.ts";
import { tokenProbe } from "../tokens/token-probe.ts";
import type { LimitPolicyId } from "../../core/exchange/limit-phase.ts";
import type { LimitProbe } from "../probe/limit-probe.ts";

/** Every policy that the limits stage examines and judges, in the order of the exam and of the report. */
export const limitProbes: Readonly<Record<LimitPolicyId, LimitProbe>> = {
  requests: requestProbe,
  tokens: tokenProbe,
  burst: burstProbe,
  spend: spendProbe,
};
