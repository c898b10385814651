import type { LimitCheckId } from "../../core/result/checks/limit-check.ts";
import type { LimitOp } from "../history/op.ts";
import { type Check, withhold } from "./check.ts";

/** Accusations that a service explains which begins anew in between, and knows nothing of what it had counted or promised. */
const restOnMemory: ReadonlySet<LimitCheckId> = new Set([
  "limits.over-admission",
  "limits.lost-updates",
  "limits.early-renewal",
  "limits.reset-moved-back",
  "limits.reset-not-kept",
  "limits.retry-after-too-long",
  "limits.path-bypass",
  "limits.identity-bypass",
  "limits.algorithm",
  "burst.over-admission",
  "burst.cooldown-prolonged",
  "burst.retry-after-untrue",
  "burst.retry-after-too-long",
  "burst.change-empties-window",
  "tokens.wrong-charge",
  "tokens.left-free",
  "tokens.left-uncounted",
  "tokens.lost-updates",
  "tokens.over-admission",
  "tokens.retry-after-too-long",
]);

export interface AbsenceSides {
  /** The instants at which the service was seen away or to begin anew, ms on the run clock, rising. */
  readonly cutsMs: readonly number[];
  readonly ops: readonly LimitOp[];
  /** The checks over what was sent from the one instant on and before the other. */
  readonly again: (fromMs: number, untilMs: number) => readonly Check[];
}

/**
 * The requests before and after an absence of the service cannot be added up. An accusation that cites some of both is asked of each side
 * alone; if none of them proves it, it is open.
 */
export function withholdAcross(checks: readonly Check[], { cutsMs, ops, again }: AbsenceSides): readonly Check[] {
  const isCut = (sentMs: readonly number[], cutMs: number): boolean =>
    sentMs.some((atMs) => atMs < cutMs) && sentMs.some((atMs) => atMs >= cutMs);
  const sent = ops.map(({ sentMs }) => sentMs);
  const inner = cutsMs.filter((cutMs) => isCut(sent, cutMs));
  const cutOf = ({ id, verdict, tier, certificate }: Check): number | undefined => {
    if (!restOnMemory.has(id) || (verdict !== "fail" && verdict !== "advisory" && tier !== "unexplained")) return undefined;
    const cited = tier === "unexplained" ? sent : (certificate?.ops ?? []).map(({ sentMs }) => sentMs);
    return inner.find((cutMs) => isCut(cited, cutMs));
  };
  if (checks.every((check) => cutOf(check) === undefined)) return checks;
  const bounds = [Number.NEGATIVE_INFINITY, ...inner, Number.POSITIVE_INFINITY];
  const sides = bounds.slice(1).flatMap((untilMs, index) => again(bounds[index]!, untilMs));
  return checks.map((check) => {
    const cutMs = cutOf(check);
    if (cutMs === undefined) return check;
    const proven = sides.find(({ id, verdict }) => id === check.id && verdict === check.verdict && verdict !== "inconclusive");
    const first = ops.find(({ sentMs }) => sentMs >= cutMs);
    const message = `the service was away or began anew before #${first?.seq} was sent, and what it had counted until then may be lost: that shows nothing of its limits`;
    return proven ?? withhold(check, message);
  });
}
