import { burstProbe } from "../burst/burst-probe.ts";
import { requestProbe } from "../requests/request-probe.ts";
import { spendProbe } from "../spend/spend-probe.ts";
import { tokenProbe } from "../tokens/token-probe.ts";
import type { LimitProbe } from "./limit-probe.ts";

/** Every policy that the limits stage examines and judges, in the order of the exam and of the report. */
export const limitProbes: readonly LimitProbe[] = [requestProbe, tokenProbe, burstProbe, spendProbe];
