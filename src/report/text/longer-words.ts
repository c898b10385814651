import type { GateResult } from "../../core/result/gate-result.ts";

/** How much longer a measurement had to be; nothing where it is long enough, or nobody can say. Rounded up, as the reasons of gates are. */
export function longerWords({ timesAsLong, timesAtLeast }: Pick<GateResult, "timesAsLong" | "timesAtLeast">): string {
  if (timesAsLong === undefined || timesAsLong <= 1) return "";
  if (timesAsLong >= 1000) return "1,000+ x as long";
  const times = timesAsLong < 10 ? (Math.ceil(10 * timesAsLong) / 10).toFixed(1) : String(Math.ceil(timesAsLong));
  return `${times}${timesAtLeast === true ? "+" : ""} x as long`;
}
