import { expect, it } from "vitest";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { createAbortWatch } from "../../../src/load/send/abort-watch.ts";

it("an error storm is one of the clients that stay, however many go away", () => {
  const watch = createAbortWatch({ errorRate: 0.5, windowSeconds: 5, minimum: 20, hopeless: false });
  const outcomes = Array.from({ length: 60 }, (_, place) =>
    place % 2 === 0 ? "left" : place % 10 === 1 ? "ok" : "server-error",
  );
  const ends = outcomes.map((outcome, place) => watch.observe({ outcome, endMs: 10 * place } as LoadRecord));
  expect(ends.find((end) => end !== null)?.words).toBe("error storm: 16 of the last 20 requests were errors or never finished");
});
