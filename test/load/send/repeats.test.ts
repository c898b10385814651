import { expect, it } from "vitest";
import { createRepeats } from "../../../src/load/send/repeats.ts";
import { runAgainst, shortProfile } from "../../make/load/run-against.ts";
import { holdThread } from "../../make/hold-thread.ts";

const steady = shortProfile({ durationSeconds: 8, warmUpSeconds: 2 });

/** Asks at the end of a window until nothing is added, for so many tainted seconds at each end. */
function addedSeconds(
  profile: typeof steady,
  tainted: (toMs: number) => number,
  fits: (seconds: number) => boolean = () => true,
): number[] {
  const repeats = createRepeats({ profile, taintedUntil: tainted, fits });
  const added: number[] = [];
  for (let toMs = 10_000; added.at(-1) !== 0; toMs += 1000 * (added.at(-1) ?? 0)) added.push(repeats.more(toMs));
  expect(repeats.seconds).toBe(added.reduce((sum, each) => sum + each, 0));
  return added;
}

it("adds a second for each that was late, those that were added included, and no more than the profile has", () => {
  expect(addedSeconds(steady, () => 0)).toEqual([0]);
  expect(addedSeconds(steady, () => 2)).toEqual([2, 0]);
  expect(addedSeconds(steady, (toMs) => (toMs > 10_000 ? 3 : 2))).toEqual([2, 1, 0]);
  expect(addedSeconds(steady, (toMs) => toMs / 1000 - 2)).toEqual([8, 0]);
});

it("adds as many as the budget holds", () => {
  expect(
    addedSeconds(
      steady,
      () => 6,
      (seconds) => seconds <= 4,
    ),
  ).toEqual([4, 2, 0]);
  expect(
    addedSeconds(
      steady,
      () => 6,
      () => false,
    ),
  ).toEqual([0]);
});

it("repeats no second that is a place in the course of a load", () => {
  const changes = [
    { arrivals: { kind: "ramp", fromPerSecond: 1, toPerSecond: 9 } },
    { arrivals: { kind: "sessions", ratePerSecond: 1, turns: 3, thinkSeconds: 1 } },
    { arrivals: { kind: "closed", concurrency: 4, thinkMs: 0, rampSeconds: 6 } },
    { durationSeconds: 4 },
    { warmUpSeconds: 0.5 },
  ];
  const profiles = changes.map((change) => shortProfile({ durationSeconds: 8, ...change }));
  expect(profiles.map((profile) => addedSeconds(profile, () => 2))).toEqual(changes.map(() => [0]));
  const begun = shortProfile({ durationSeconds: 8, arrivals: { kind: "closed", concurrency: 4, thinkMs: 0, rampSeconds: 1 } });
  expect(addedSeconds({ ...begun, warmUpSeconds: 2 }, () => 2)).toEqual([2, 0]);
});

it.concurrent.each([
  ["a constant rate", { arrivals: { kind: "constant", ratePerSecond: 20 } }],
  ["a closed loop", { arrivals: { kind: "closed", concurrency: 2, thinkMs: 40 } }],
])("measures a second again in which this process stood still: %s", async (_, change) => {
  let blocked = 0;
  const result = await runAgainst(
    (_request, response) =>
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } })),
    { ...change, durationSeconds: 5, warmUpSeconds: 1 },
    {
      repeatsLate: true,
      onExchange() {
        blocked += 1;
        if (blocked === 70) holdThread(400);
      },
    },
  );
  const replaced = result.health.replacedSeconds ?? 0;
  expect(replaced).toBeGreaterThanOrEqual(1);
  expect(result.validity.remarks?.at(-1)).toContain("the generator was late in");
  // The counts hold all that was sent; figures are those of the seconds that remain.
  expect(result.counts.planned).toBe(result.counts.sent + (result.counts.unsent ?? 0) - result.counts.retried);
  const measured = Object.values(result.outcomes).reduce((sum, count) => sum + count, 0);
  expect(measured).toBeLessThan(result.counts.sent);
  const lateSeconds = result.series.filter(({ tainted }) => tainted).length;
  expect(lateSeconds).toBeGreaterThanOrEqual(replaced);
});
