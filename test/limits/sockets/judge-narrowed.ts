import { redactManifest } from "../../../src/config/redact-manifest.ts";
import type { Result } from "../../../src/core/result/result.ts";
import { findLimitCheck } from "../../../src/core/result/checks/limit-checks.ts";
import { judgeRun } from "../../../src/run/record/judge-run.ts";
import { selectRows, selectSuites } from "../../../src/run/select-suites.ts";
import { noLoad } from "../../../src/run/verdict/find-load-findings.ts";
import { makeRunRecord } from "../../make/results/make-run-record.ts";
import type { SwitchRecord } from "./examine-switch.ts";

/** The options of `assay limits` with one requirement or check. */
export function askFor(id: string): {
  readonly stages: readonly ["limits"];
  readonly suites: readonly [];
  readonly cases: readonly [];
  readonly requirements: readonly string[];
  readonly checks: readonly string[];
} {
  const check = findLimitCheck(id);
  const asked = { stages: ["limits"], suites: [], cases: [] } as const;
  return check === undefined
    ? { ...asked, requirements: [id], checks: [] }
    : { ...asked, requirements: check.requirements, checks: [id] };
}

/** The result of a run that asked for one requirement or check, over what its exam recorded. */
export function judgeNarrowed(id: string, { exchanges, manifest, notJudged }: SwitchRecord): Result {
  const options = askFor(id);
  const record = makeRunRecord({
    stages: options.stages,
    suites: selectSuites(options),
    rows: [...(selectRows(options) ?? [])],
    checks: options.checks,
    manifest: redactManifest(manifest),
    limitsNotJudged: notJudged,
  });
  return judgeRun(record, exchanges, noLoad);
}
