import { expect, it } from "vitest";
import type { LoadProfileResult } from "../../src/core/result/load-result.ts";
import { startReferenceService } from "../../src/reference/start-reference-service.ts";
import { sendProfile, shortProfile } from "../make/load/run-against.ts";

async function runWith(variants: readonly string[]): Promise<LoadProfileResult> {
  const service = await startReferenceService({ latency: "realistic", variants });
  try {
    const workload = [{ endpoint: "chat", stream: true, outputTokens: 20 }];
    const arrivals = { kind: "constant", ratePerSecond: 30 };
    return await sendProfile(shortProfile({ arrivals, durationSeconds: 0.4, workload }), service.manifest);
  } finally {
    await service.close();
  }
}

/** The part of a result that no packing of events may change. */
const figures = ({ counts, outcomes, lengths, observations }: LoadProfileResult): unknown => ({
  counts,
  outcomes,
  lengths,
  buffered: observations.filter(({ id }) => id === "buffered"),
});

it("streams whose events are cut by writes, or leave by three, have the tokens and the outcomes of others", async () => {
  const plain = figures(await runWith([]));
  for (const variant of ["stream/cut-events", "stream/tokens-by-three"]) {
    expect([variant, figures(await runWith([variant]))]).toEqual([variant, plain]);
  }
});
