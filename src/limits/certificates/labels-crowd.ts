import type { LimitOp } from "../history/op.ts";

/** Four answers whose labels are two seconds or more apart, all within one and a half windows: no windows end there. */
export function labelsCrowd(ops: readonly LimitOp[], windowMs: number): boolean {
  const labels = ops.flatMap(({ outcome, requests }) => (outcome === "admitted" ? (requests.resetMs ?? []) : []));
  return labels.some((first) => {
    let [last, count] = [first, 1];
    for (const label of labels.filter((one) => one > first && one <= first + 1.5 * windowMs).sort((a, b) => a - b)) {
      if (label - last < 2000) continue;
      last = label;
      count += 1;
    }
    return count >= 4;
  });
}
