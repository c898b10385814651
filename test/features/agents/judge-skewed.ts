import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import type { Random } from "../../../src/core/random.ts";
import type { LimitsJudgement } from "../../../src/limits/exam/judge-limits.ts";
import { readOp } from "../../../src/limits/history/history.ts";
import { roundOp } from "../../../src/limits/history/op-columns.ts";
import { widenOp } from "../../../src/limits/history/widen-op.ts";
import { createLimitMonitor } from "../../../src/limits/traffic/limit-monitor.ts";

const agents = 4;

/** Each request by one of four agents whose clock is wrong by something within its bound, and drifts there. */
export function judgeSkewed(
  exchanges: readonly Exchange[],
  random: Random,
  boundMs: number,
  manifest: Manifest,
  widened = true,
): LimitsJudgement {
  const watching = createLimitMonitor({ manifest: { ...manifest, control: null }, strict: false });
  const errors = Array.from({ length: agents }, () => ({
    fromMs: boundMs * (2 * random.next() - 1),
    toMs: boundMs * (2 * random.next() - 1),
  }));
  const lastMs = Math.max(1, ...exchanges.map(({ timing }) => timing.sentMs));
  for (const [index, exchange] of exchanges.toSorted((a, b) => a.timing.endMs - b.timing.endMs).entries()) {
    const { fromMs, toMs } = errors[index % agents]!;
    const byMs = fromMs + (toMs - fromMs) * Math.min(1, Math.max(0, exchange.timing.sentMs / lastMs));
    const shift = (atMs: number | null): number | null => (atMs === null ? null : atMs + byMs);
    const { timing } = exchange;
    const skewed: Exchange = {
      ...exchange,
      timing: {
        ...timing,
        sentMs: timing.sentMs + byMs,
        headersMs: shift(timing.headersMs),
        firstByteMs: shift(timing.firstByteMs),
        endMs: timing.endMs + byMs,
        wallMs: timing.wallMs + byMs,
      },
    };
    const op = readOp(skewed);
    if (op !== null) watching.add(roundOp(widened ? widenOp(op, boundMs) : op));
  }
  return watching.finish();
}
