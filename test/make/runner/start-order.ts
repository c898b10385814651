import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files of three seconds and more in the order in which they begin: two of the four workers take those that wait (for windows, sockets,
 * children), longest first, and two those that compute, so that a core is free for each of these. `SlowestFiles` prints what belongs here.
 */
export const firstFiles: readonly string[] = [
  "limits/peers/peers",
  "features/agents/agents",
  "limits/kill-table.switches",
  "cli/run",
  "conformance/lawful-matrix.switches",
  "conformance/mutants-of-operations.switches",
  "run/scope/scope",
  "conformance/foreign-service",
  "cli/hostile-targets",
  "cli/secrets",
  "features/agents/faults",
  "conformance/operator-mutants.switches",
  "conformance/mutants-of-shape.switches",
  "cli/killed-run",
  "load/run-load-profile",
  "cli/operators",
  "load/workload/tokenizer",
  "cli/compare",
  "run/workers/thread-workers",
  "cli/nightly-guide",
  "features/certify/guide",
  "features/certify/forged",
  "cli/modules-loaded",
  "cli/flag-secrets",
  "run/traffic/probe-mutants",
  "run/clock-jumps",
  "cli/replay",
  "conformance/mutants-of-text.switches",
  "load/send/rate-allowance.prop",
  "cli/package",
  "run/record/ledger",
  "features/agents/skewed-limits.prop",
  "run/stops-answering",
  "ci/github-action",
  "load/proof-of-instruments",
  "features/vitest/examples",
  "conformance/mutants-of-limits.switches",
  "run/api-examples",
  "conformance/exchange-mutants",
  "conformance/broken-answers/broken-answers",
  "cli/commands/report",
  "cli/interrupt",
  "conformance/judges/golden",
  "wire/connection-lifecycle",
  "conformance/detection",
  "features/compare/runs/compare-results",
  "features/certify/same-everywhere",
  "limits/requests/refilling",
  "cli/restore",
  "limits/certificates/witness",
  "peers/aimock",
  "run/spend-under-load.prop",
  "wire/http1/http1-client",
  "limits/exam/endpoints-without-headers",
  "limits/burst/held-in-a-queue",
  "limits/burst/exam-time.switches",
  "limits/requests/one-statement",
  "limits/lawful-histories",
  "limits/exam/fit-minutes",
  "field/unreachable-limit",
  "cli/broken-target",
  "features/openapi/openapi",
  "limits/identify/sliding-counter",
  "wire/capture/bounds",
  "suites/judges-are-total.prop",
  "limits/tokens/embedding-charge",
  "load/outcomes",
  "features/agents/secure-broker",
  "wire/broken-servers",
  "conformance/send/run-conformance",
  "features/agents/messages",
  "run/bound-time",
  "load/samples/unmeasured",
  "load/generator/cross-check",
  "features/agents/doctor/diagnose-agents",
  "cli/agents-usage",
  "run/stages-share-a-clock",
  "report/metrics/metrics",
  "cli/plan",
];

/** Orders test files by the list above, also where no earlier run has left its times. */
export class StartOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = firstFiles.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return rank === -1 ? firstFiles.length : rank;
    };
    return others.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}
