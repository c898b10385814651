import type { Check } from "../verdict/check.ts";
import type { GroupView } from "../history/group-view.ts";
import { checkOverAdmission } from "./counting/over-admission.ts";
import { checkUnderAdmission } from "./counting/under-admission.ts";
import { checkCapacity } from "./counting/capacity.ts";
import { checkClockJumps } from "./answers/clock-jumps.ts";
import { checkClaims, checkPhantoms } from "./answers/claims.ts";
import { checkDeclaredLimit, checkLimitConstant, checkRemainingOnReject, checkRemainingRange } from "./answers/limit-values.ts";
import { checkLostUpdates } from "./counting/lost-updates.ts";
import { checkRefusalKind } from "./answers/refusal-kind.ts";
import { checkSecondLimit } from "./counting/second-limit.ts";
import { checkRestored } from "./counting/restored.ts";
import { checkRenewal, checkResetDistance, checkResetFormat, checkResetOrder, checkResetTruth } from "./answers/resets.ts";
import { checkRises } from "./counting/rises.ts";
import { checkRetryAgreement, checkRetryForm, checkRetryKept, checkRetryNotLong, checkRetryUnit } from "./answers/retry-after.ts";

/** Every check that needs no assumption about the algorithm, in the order in which a reader wants them. */
export function checkRequests(view: GroupView, declaredLimit: number | null): readonly Check[] {
  const second = checkSecondLimit(view);
  return [
    checkRemainingRange(view),
    checkLimitConstant(view),
    checkDeclaredLimit(view, declaredLimit),
    checkLostUpdates(view),
    checkPhantoms(view),
    checkRises(view),
    checkRestored(view),
    checkOverAdmission(view),
    checkUnderAdmission(view),
    checkClaims(view),
    checkRemainingOnReject(view),
    checkResetFormat(view),
    checkResetTruth(view),
    checkResetDistance(view),
    checkResetOrder(view),
    checkRenewal(view),
    checkRetryForm(view),
    checkRetryAgreement(view),
    checkRetryUnit(view),
    checkRetryKept(view),
    checkRetryNotLong(view),
    checkCapacity(view),
    checkRefusalKind(view),
    ...(second === null ? [] : [second]),
    checkClockJumps(view),
  ];
}
