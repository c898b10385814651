import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * What takes eight seconds and more where four files run at once: begun first, so that no worker ends with it while the others have nothing
 * to do. `SlowestFiles` prints what belongs here.
 */
const long: readonly string[] = [
  "limits/kill-table",
  "limits/peers/peers",
  "distributed/agents",
  "conformance/lawful-matrix",
  "conformance/foreign-service",
  "run/scope/scope",
  "run/workers/thread-workers",
  "load/send/run-load-profile",
  "audits/examples",
  "cli/package",
  "cli/commands/report",
  "load/limits-under-load",
  "cli/run",
  "cli/compare",
  "distributed/faults",
  "conformance/mutants-of-shape",
  "run/stops-answering",
  "cli/secrets",
  "load/send/rate-allowance.prop",
  "load/proof-of-instruments",
  "cli/operators",
  "conformance/mutants-of-operations",
  "wire/connection-lifecycle",
  "cli/restore",
  "cli/hostile-targets",
  "conformance/mutants-of-limits",
  "conformance/exchange-mutants",
  "peers/aimock",
  "cli/replay",
  "cli/killed-run",
  "wire/capture/bounds",
  "conformance/detection",
  "run/hostile-bytes.prop",
  "load/compare/compare-results",
  "limits/requests/refilling",
  "run/record/ledger",
  "run/api-examples",
  "cli/broken-target",
  "load/outcomes",
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
