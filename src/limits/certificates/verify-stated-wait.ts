import type { LimitCertificate } from "../../core/result/limits-result.ts";
import type { LimitOp } from "../history/op.ts";
import { statedWaitsMs } from "./certificate-steps.ts";

/**
 * The fault in the wait that one refusal states: unusable, stated twice and differently, in another unit, or longer than
 * anything needs.
 */
export function verifyStatedWait({ kind, parameters }: LimitCertificate, refused: LimitOp, windowMs: number): string | null {
  switch (kind) {
    case "retry-form":
      return refused.status === 429 && (refused.retry?.seconds === null || refused.retry?.problems.length !== 0)
        ? null
        : "the wait is usable";
    case "retry-agree": {
      const waits = statedWaitsMs(refused);
      return waits.some((wait) => Math.abs(wait - waits[0]!) > 1000) ? null : "the waits agree";
    }
    case "retry-unit": {
      const waitMs = (refused.retry?.seconds ?? 0) * 1000;
      return waitMs > 10 * windowMs && Math.abs(waitMs / 1000 - Number(parameters["leftMs"])) <= 2000
        ? null
        : "the wait may be in seconds";
    }
    case "retry-absurd": {
      const waitMs = (refused.retry?.seconds ?? 0) * 1000;
      const toResetMs = (refused.requests.resetMs ?? Infinity) - ((refused.dateMs ?? -Infinity) - 1000);
      const isBeyondReset = toResetMs >= 0 && toResetMs <= 2.5 * windowMs && waitMs > toResetMs + windowMs + 300_000 - 2000;
      return waitMs > 10 * windowMs || isBeyondReset ? null : "the wait may be lawful";
    }
    default:
      return `no rule to verify ${kind}`;
  }
}
