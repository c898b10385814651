import type { LimitCertificate } from "../../core/result/limits-result.ts";
import type { LimitOp } from "../history/op.ts";
import { between } from "./certificate-steps.ts";

/**
 * Pairs of requests, one directly after the other: the second shows as much as the first (`repeated-reading`), or is refused and shows more
 * (`rise-on-refusal`). One refill within each pair explains it; that there was one in all of them is a chance of less than one in a thousand.
 */
export function verifyRows(
  { kind, parameters }: LimitCertificate,
  ops: readonly LimitOp[],
  named: readonly LimitOp[],
  windowMs: number,
): string | null {
  // The search covers requests that slide out: here a refill explains the rise, and a rise by several needs a batch that is as
  // much rarer.
  const heights = Number(parameters["heights"]);
  let chance = 1;
  for (let at = 0; at + 1 < named.length; at += 2) {
    const [first, second] = [named[at]!, named[at + 1]!];
    const [before, after] = [first.requests.remaining ?? Infinity, second.requests.remaining ?? -Infinity];
    const shows =
      kind === "repeated-reading"
        ? second.outcome === "admitted" && before === after
        : second.status === 429 && after > before && after > 1;
    const touching = ops.filter((op) => op.headersMs > first.sentMs && op.sentMs < second.headersMs).length;
    const alone = first.headersMs <= second.sentMs && Math.min(touching, between(ops, first, second) + 2) <= 2;
    if (!shows || !alone || first.outcome !== "admitted") return "a pair shows nothing, or something came in between";
    chance *= Math.min(
      1,
      ((second.headersMs - first.sentMs + Number(parameters["fuzzMs"])) * Number(parameters["limit"])) / windowMs,
    );
    chance /= kind === "repeated-reading" ? heights : Math.max(1, after - 1);
  }
  return named.length >= 8 && chance < 1e-3 ? null : "refills between them are no small chance";
}
