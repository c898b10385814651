import type { Exchange } from "../../core/exchange/exchange.ts";
import type { ManifestFacts } from "../../core/manifest.ts";
import { readOp } from "../../limits/history/history.ts";
import type { LimitsJudgement } from "../../limits/exam/judge-limits.ts";
import { readLimitFigure } from "../../limits/traffic/gate-figures.ts";
import type { LimitOp } from "../../limits/history/op.ts";
import { loadKeyName } from "../../load/profile/load-key-name.ts";
import type { LoadProfile } from "../../load/profile/load-profile.ts";
import { findingsUnderLoad } from "../../limits/traffic/findings-under-load.ts";
import { listLimitChecks } from "../../limits/traffic/list-limit-checks.ts";
import { watchBursts } from "../../limits/traffic/watch-bursts.ts";
import { watchLimits, type LimitWatch } from "./watch-limits.ts";
import { watchSpend } from "../../limits/traffic/watch-spend.ts";

/**
 * All judges of limits over the traffic of one profile: request limits always, a cooldown where the profile is about exhausting it,
 * a spend cap where it is about crossing one.
 */
export function watchProfile(
  profile: Pick<LoadProfile, "id" | "key" | "needs" | "limitScenario">,
  manifest: ManifestFacts,
  strict: boolean,
): LimitWatch {
  const { id, needs } = profile;
  const key = loadKeyName(profile.key, manifest);
  const requests = watchLimits(id, manifest, strict);
  const bursts = needs.includes("exhaustLimits") ? watchBursts(manifest, key) : null;
  const spend = profile.limitScenario === "spend-cap" ? watchSpend(manifest, key) : null;
  if (bursts === null && spend === null) return requests;
  let judged: readonly LimitsJudgement[] | null = null;
  const finish = (): readonly LimitsJudgement[] =>
    (judged ??= [bursts?.finish() ?? null, spend?.finish() ?? null].filter((each) => each !== null));
  const take = (op: LimitOp): void => {
    requests.onOp(op);
    bursts?.onOp(op);
  };
  return {
    onOp(op) {
      spend?.miss();
      take(op);
    },
    onExchange(exchange: Exchange) {
      spend?.onExchange(exchange);
      const op = readOp(exchange);
      if (op !== null) take(op);
    },
    figure(name) {
      const figures = [requests.figure(name), ...finish().map((one) => readLimitFigure(one, name))].filter(
        (each) => each !== null,
      );
      return figures.length === 0 ? null : figures.reduce((sum, each) => sum + each, 0);
    },
    checks: () => [...requests.checks(), ...finish().flatMap(({ result }) => listLimitChecks(result))],
    findings: () => [...requests.findings(), ...finish().flatMap((one) => findingsUnderLoad(id, one))],
  };
}
