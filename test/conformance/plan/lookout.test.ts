import { describe, expect, it } from "vitest";
import { jumpingClock } from "../../make/jumping-clock.ts";
import { createLookout, type Seen } from "../../../src/conformance/plan/lookout.ts";
import { createWaitAccount } from "../../../src/conformance/plan/wait-account.ts";
import { examineReference } from "../examine-reference.ts";

/** Seconds that each of these awaited things took, by when it shows after it was begun; null: never. */
async function waitFor(
  shownAfterMs: readonly (number | null)[],
  seenBefore: Seen = "none",
  reading: "took" | "late" = "took",
): Promise<readonly number[]> {
  const clock = jumpingClock();
  const lookout = createLookout(clock, createWaitAccount(clock, 1_800_000));
  const took: number[] = [];
  const late: number[] = [];
  for (const afterMs of shownAfterMs) {
    const fromMs = clock.nowMs();
    await lookout.until(30_000, new AbortController().signal, async () =>
      afterMs !== null && clock.nowMs() - fromMs >= afterMs ? "all" : seenBefore,
    );
    took.push((clock.nowMs() - fromMs) / 1000);
    late.push(lookout.latestMs() / 1000);
  }
  return { took, late }[reading];
}

describe("a lookout", () => {
  it("keeps the whole time for what shows late, each time", async () => {
    expect(await waitFor([0, 2000, 29_000, 29_000])).toEqual([0, 3, 30, 30]);
  });

  it("remembers how late something was, and not what never came", async () => {
    expect(await waitFor([0, 2000, 1000, null], "none", "late")).toEqual([0, 3, 3, 3]);
    expect(await waitFor([null], "some", "late")).toEqual([0]);
  });

  it("waits in vain once for a target that shows nothing", async () => {
    expect(await waitFor([null, null, null])).toEqual([30, 0, 0]);
  });

  it("waits for what this target has shown before, and for what it shows in part", async () => {
    expect(await waitFor([1000, null, null])).toEqual([1, 30, 30]);
    expect(await waitFor([null, null], "some")).toEqual([30, 30]);
  });

  it("believes again in what shows after all", async () => {
    expect(await waitFor([null, 0, 20_000])).toEqual([30, 0, 30]);
  });

  it("does not wait for what cannot show", async () => {
    expect(await waitFor([null, null], "never")).toEqual([0, 0]);
  });
});

describe("a usage report that never moves", () => {
  it("is awaited once by all cases and their repetitions", async () => {
    const { run, verdicts, exchanges } = await examineReference({
      cases: ["usage/reconciles", "usage/covers-the-account", "usage/at-once", "usage/counts-streams"],
      mutants: ["usage/nothing-counted"],
    });
    expect([verdicts.get("USG-032"), verdicts.get("USG-033"), verdicts.get("USG-041"), run.refusal]).toEqual([
      "fail",
      "fail",
      "fail",
      null,
    ]);
    // The clock of the service is virtual: what was waited for shows on it.
    const waitedMs = Math.max(...exchanges.map(({ timing }) => timing.endMs));
    expect(waitedMs).toBeLessThan(45_000);
  });
});
