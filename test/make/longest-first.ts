import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes longest, mostly by waiting: begun first, so that no worker ends with it while the others have nothing to do. */
const long: readonly string[] = [
  "limits/peers/peers",
  "run/workers/thread-workers",
  "cli/compare",
  "conformance/lawful-matrix",
  "conformance/mutants-of-limits",
  "load/limits-under-load",
  "load/send/run-load-profile",
  "limits/kill-table",
  "conformance/mutants-of-shape",
  "conformance/mutants-of-operations",
  "conformance/mutants-of-text",
  "run/scope/scope",
  "cli/run",
  "audits/examples",
  "cli/commands/report",
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
