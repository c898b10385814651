import type { LimitCertificate } from "../../core/result/limits-result.ts";
import type { LimitOp } from "../history/op.ts";
import { batchOf, labelsCrowd, twoReadings } from "./certificate-steps.ts";

/** More was admitted between two readings than remaining fell by and any refill brings, before the reset that the first one names. */
export function verifyUncounted(
  { parameters }: LimitCertificate,
  ops: readonly LimitOp[],
  named: readonly LimitOp[],
  windowMs: number,
): string | null {
  const readings = twoReadings(named);
  if (readings === null) return "two readings one after the other are missing";
  const { first, second, fell, others } = readings;
  const limit = Number(parameters["limit"]);
  if (second.headersMs + Number(parameters["offsetHighMs"]) >= (first.requests.resetMs ?? 0) && !labelsCrowd(ops, windowMs))
    return "the stated reset may have come";
  const admitted = ops.filter((op) => op.outcome === "admitted" && op.sentMs > first.headersMs && op.headersMs < second.sentMs);
  const ago = ops.filter((op) => op.headersMs >= first.sentMs - windowMs && op.sentMs <= second.headersMs - windowMs);
  const came = (limit / windowMs) * (second.headersMs - first.sentMs) + batchOf(ops, others, limit, windowMs) + ago.length;
  return admitted.length + 1 - fell > came ? null : "a refill explains it";
}
