import { redactManifest } from "../config/redact-manifest.ts";
import type { Exchange } from "../core/exchange.ts";
import type { Finding } from "../core/finding.ts";
import type { Manifest } from "../core/manifest.ts";
import { createLimitMonitor } from "../limits/limit-monitor.ts";
import type { LimitsJudgement } from "../limits/judge-limits.ts";
import { readLimitFigure } from "../limits/monitor/gate-figures.ts";

/** The limit checks over the traffic of one load profile. */
export interface LimitWatch {
  readonly onExchange: (exchange: Exchange) => void;
  /** Figure of a gate; null where no check had the evidence to speak. Ends the watch. */
  readonly figure: (name: "over_admission" | "violations") => number | null;
  /** What was proven wrong. Ends the watch. */
  readonly findings: () => readonly Omit<Finding, "id">[];
}

export function watchLimits(profile: string, manifest: Manifest, strict: boolean): LimitWatch {
  const monitor = createLimitMonitor({ manifest: redactManifest(manifest), strict });
  let judged: LimitsJudgement | null = null;
  const finish = (): LimitsJudgement => (judged ??= monitor.finish());
  return {
    onExchange: (exchange) => monitor.add(exchange),
    figure: (name) => readLimitFigure(finish(), name),
    findings: () =>
      finish()
        .findings.filter((finding) => finding.verdict === "fail")
        .map(({ id: _id, ...finding }) => ({ ...finding, message: `under load ${profile}: ${finding.message}` })),
  };
}
