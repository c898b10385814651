import { expect, it } from "vitest";
import type { InstrumentAccuracy } from "../../../../src/core/result/generator-health.ts";
import type { GateResult } from "../../../../src/core/result/gate-result.ts";
import { measureInTurns } from "../../../../src/features/compare/live/measure-in-turns.ts";
import { keep } from "../../../make/keep.ts";
import { startTarget, streamWords } from "../../../make/load/load-target.ts";
import { shortProfile } from "../../../make/load/run-against.ts";

const models = JSON.stringify({ object: "list", data: [{ id: "chat", object: "model", created: 1, owned_by: "test" }] });

async function startSide(): Promise<string> {
  const target = await startTarget(({ path }, response) => {
    if (path === "/v1/models") response.writeHead(200, { "content-type": "application/json" }).end(models);
    else streamWords(response, 3, 1, 1);
  });
  return keep(target).baseUrl;
}

it("rounds in turns are judged by the calibration: where it failed, no gate on a time is judged, and those on counts stand", async () => {
  const asked: (number | undefined)[] = [];
  const unknown: InstrumentAccuracy = { calibration: null, uncalibrated: "the calibration of this machine failed: busy" };
  const measured = await measureInTurns({
    base: await startSide(),
    next: await startSide(),
    profile: { profile: shortProfile({ durationSeconds: 0.5, gates: ["ttft.p50 < 60s", "error_rate < 50%"] }), trace: null },
    rounds: 1,
    seed: 1,
    env: { ASSAY_API_KEY: "sk_test_0123456789" },
    signal: new AbortController().signal,
    say: () => {},
    calibrate(mostTries) {
      asked.push(mostTries);
      return Promise.resolve(unknown);
    },
  });
  if ("refusal" in measured) throw new Error(measured.refusal);
  for (const { load } of [measured.base, measured.next]) {
    expect(load).toMatchObject(unknown);
    expect(load?.profiles).toHaveLength(1);
    const said = ({ verdict, doubt }: GateResult): unknown => [verdict, doubt];
    expect(load?.profiles[0]?.gates.map(said)).toEqual([
      ["inconclusive", "instrument"],
      ["pass", undefined],
    ]);
  }
  expect(asked).toEqual([undefined, 1, 1]);
});
