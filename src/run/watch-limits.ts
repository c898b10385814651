import { redactManifest } from "../config/redact-manifest.ts";
import type { Exchange } from "../core/exchange.ts";
import type { Finding } from "../core/finding.ts";
import type { Manifest } from "../core/manifest.ts";
import { createLimitMonitor } from "../limits/limit-monitor.ts";
import type { LimitsJudgement } from "../limits/judge-limits.ts";

/** The limit checks over the traffic of one load profile. */
export interface LimitWatch {
  onExchange(exchange: Exchange): void;
  /** Figure of a gate; null where no check had the evidence to speak. Ends the watch. */
  figure(name: "over_admission" | "violations"): number | null;
  /** What was proven wrong. Ends the watch. */
  findings(): readonly Omit<Finding, "id">[];
}

/** Checks that say more was admitted than any algorithm may admit. */
const overAdmission: ReadonlySet<string> = new Set(["u.over", "r2.lost"]);

export function watchLimits(profile: string, manifest: Manifest, strict: boolean): LimitWatch {
  const monitor = createLimitMonitor({ manifest: redactManifest(manifest), strict });
  let judged: LimitsJudgement | null = null;
  const finish = (): LimitsJudgement => (judged ??= monitor.finish());
  return {
    onExchange: (exchange) => monitor.add(exchange),
    figure: (name) => {
      const checks = finish().result.policies.flatMap((policy) => policy.checks);
      const spoken = checks.filter((check) => check.verdict === "pass" || check.verdict === "fail");
      const relevant = name === "violations" ? spoken : spoken.filter((check) => overAdmission.has(check.id));
      return relevant.length === 0 ? null : relevant.filter((check) => check.verdict === "fail").length;
    },
    findings: () =>
      finish()
        .findings.filter((finding) => finding.verdict === "fail")
        .map(({ id: _id, ...finding }) => ({ ...finding, message: `under load ${profile}: ${finding.message}` })),
  };
}
