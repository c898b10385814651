import { expect, it } from "vitest";
import { createArrivalMeter } from "../../../src/wire/capture/arrival-meter.ts";

it("does not take a socket of a later poll in the same turn for one that was not ready at the first, which was full", () => {
  let nowMs = 5;
  const meter = createArrivalMeter(() => nowMs);
  nowMs = 10;
  const first = { ...meter.stamp() };
  for (let count = 2; count <= 1024; count += 1) meter.stamp();
  nowMs = 11;
  const later = { ...meter.stamp() };
  expect(later).toEqual({ readMs: 11, earliestMs: first.earliestMs, latestMs: 11 });
  expect(first.earliestMs).toBeLessThan(10);
});
