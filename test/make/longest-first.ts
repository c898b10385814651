import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes fifteen seconds and more: begun first, so that no worker ends with it while the others have nothing to do. */
const long: readonly string[] = [
  "conformance/lawful-matrix",
  "limits/kill-table",
  "limits/peers/peers",
  "conformance/foreign-service",
  "conformance/detection",
  "cli/compare",
  "run/scope/scope",
  "load/limits-under-load",
  "run/hostile-bytes.prop",
  "cli/run",
  "distributed/agents",
  "run/workers/thread-workers",
  "conformance/mutants-of-operations",
  "cli/operators",
  "cli/hostile-targets",
  "conformance/mutants-of-shape",
  "cli/secrets",
  "load/send/run-load-profile",
  "run/api-examples",
  "distributed/faults",
  "cli/replay",
  "ci/github-action",
  "audits/examples",
  "cli/package",
  "conformance/mutants-of-limits",
  "cli/commands/report",
  "conformance/exchange-mutants",
  "run/stops-answering",
  "cli/restore",
  "certificate/same-everywhere",
  "conformance/mutants-of-text",
  "load/send/rate-allowance.prop",
  "cli/killed-run",
  "cli/interrupt",
  "conformance/send/run-conformance",
  "load/proof-of-instruments",
  "distributed/skewed-mutants",
  "wire/connection-lifecycle",
  "run/record/ledger",
  "certificate/end-to-end",
];

/** Orders test files by how long they take, also where no earlier run has left its times. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = long.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return rank === -1 ? long.length : rank;
    };
    return others.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}
