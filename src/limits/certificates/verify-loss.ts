import type { LimitCertificate } from "../../core/result/limits-result.ts";
import type { LimitOp } from "../history/op.ts";

/** Hall's condition on its own: all members after the low reading, none past the high one, more members than it fell by. */
export function verifyLoss(certificate: LimitCertificate, bySeq: ReadonlyMap<number, LimitOp>): string | null {
  const { parameters } = certificate;
  const limit = Number(parameters["limit"]);
  const first = bySeq.get(Number(parameters["first"]));
  // Without a last reading the number is 0, which no request has.
  const last = bySeq.get(Number(parameters["last"]));
  const members = String(parameters["members"])
    .split(" ")
    .map((seq) => bySeq.get(Number(seq)));
  if (!first || members.some((op) => op === undefined || op.outcome !== "admitted")) return "a member was not admitted";
  const counted = members.filter((op) => op !== undefined);
  if (new Set(counted.map((op) => op.requests.resetMs)).size !== 1 || counted[0]?.requests.resetMs !== first.requests.resetMs) {
    return "the requests name different windows";
  }
  const low = limit - first.requests.remaining!;
  const used = (op: LimitOp): number => limit - op.requests.remaining!;
  const bound = Math.max(
    ...counted.map((op) => (last && last.sentMs > op.headersMs ? Math.min(used(op), used(last)) : used(op))),
  );
  if (!counted.every((op) => op.sentMs > first.headersMs)) return "a member may have come before the first reading";
  return counted.length > bound - low + Number(parameters["renewal"]) ? null : "remaining fell by enough";
}
