import type { Exchange } from "../core/exchange.ts";
import type { Manifest } from "../core/manifest.ts";
import { readOp } from "../limits/history.ts";
import type { LimitsJudgement } from "../limits/judge-limits.ts";
import { readLimitFigure } from "../limits/monitor/gate-figures.ts";
import type { LimitOp } from "../limits/op.ts";
import { loadKeyName } from "../load/profile-blockers.ts";
import type { LoadProfile } from "../load/load-profile.ts";
import { watchBursts } from "./watch-bursts.ts";
import { watchLimits, type LimitWatch } from "./watch-limits.ts";

/** All judges of limits over the traffic of one profile: request limits always, a cooldown where the profile is about exhausting it. */
export function watchProfile(
  { id, key, needs }: Pick<LoadProfile, "id" | "key" | "needs">,
  manifest: Manifest,
  strict: boolean,
): LimitWatch {
  const requests = watchLimits(id, manifest, strict);
  const bursts = needs.includes("exhaustLimits") ? watchBursts(manifest, loadKeyName(key, manifest)) : null;
  if (bursts === null) return requests;
  let judged: { readonly bursts: LimitsJudgement | null } | null = null;
  const finish = (): LimitsJudgement | null => (judged ??= { bursts: bursts.finish() }).bursts;
  const onOp = (op: LimitOp): void => {
    requests.onOp(op);
    bursts.onOp(op);
  };
  return {
    onOp,
    onExchange(exchange: Exchange) {
      const op = readOp(exchange);
      if (op !== null) onOp(op);
    },
    figure(name) {
      const here = finish();
      const figures = [requests.figure(name), here === null ? null : readLimitFigure(here, name)].filter((each) => each !== null);
      return figures.length === 0 ? null : figures.reduce((sum, each) => sum + each, 0);
    },
    findings: () => [
      ...requests.findings(),
      ...(finish()?.findings ?? [])
        .filter((finding) => finding.verdict === "fail")
        .map(({ id: _id, ...finding }) => ({ ...finding, message: `under load ${id}: ${finding.message}` })),
    ],
  };
}
