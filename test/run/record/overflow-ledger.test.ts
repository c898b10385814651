import { expect, it } from "vitest";
import { redactManifest } from "../../../src/config/redact-manifest.ts";
import { LedgerJudge } from "../../../src/run/record/ledger-judge.ts";
import type { LoadLine } from "../../../src/run/record/ledger-file.ts";
import { manifestFor, startTarget, streamWords } from "../../make/load/load-target.ts";
import { sendProfile, shortProfile } from "../../make/load/run-against.ts";
import { keep } from "../../make/keep.ts";

it("a profile that sent more than is kept is judged again from its ledger, to the same result", async () => {
  const target = keep(await startTarget((_, response) => streamWords(response, 3, 4, 2)));
  const manifest = manifestFor(target.baseUrl);
  const profile = shortProfile({
    arrivals: { kind: "constant", ratePerSecond: 60 },
    durationSeconds: 1.5,
    gates: ["ttft.p50 < 10s", "error_rate < 5%", "observations.unfinished == 0"],
  });
  const lines: string[] = [];
  const result = await sendProfile(profile, manifest, { mostRecords: 30, ledger: (json) => lines.push(json) });
  expect(result.counted).toEqual({ kept: 30, counted: 60 });
  expect(result.counts).toMatchObject({ sent: 90, completed: 90 });
  const judge = new LedgerJudge({ strict: false });
  judge.take({ kind: "calibration", calibration: null });
  judge.take({ kind: "watch", manifest: redactManifest(manifest) });
  for (const line of lines) judge.take(JSON.parse(line) as LoadLine);
  const { limitChecks: _, ...again } = judge.finish().load!.profiles[0]!;
  // A result file has no members without a value.
  expect(again).toEqual(JSON.parse(JSON.stringify(result)));
});

it("a load whose calibration failed says so, leaves gates on times open, and is judged again alike", async () => {
  const target = keep(await startTarget((_, response) => streamWords(response, 3, 4, 2)));
  const manifest = manifestFor(target.baseUrl);
  const gates = ["ttft.p50 < 10s", "error_rate < 50%"];
  const profile = shortProfile({ arrivals: { kind: "constant", ratePerSecond: 60 }, durationSeconds: 1.5, gates });
  const accuracy = { calibration: null, uncalibrated: "the calibration of this machine failed: no event" };
  const lines: string[] = [];
  const result = await sendProfile(profile, manifest, { ...accuracy, ledger: (json) => lines.push(json) });
  expect(result.gates.map(({ verdict, doubt }) => [verdict, doubt])).toEqual([
    ["inconclusive", "instrument"],
    ["pass", undefined],
  ]);
  const judge = new LedgerJudge({ strict: false });
  judge.take({ kind: "calibration", ...accuracy });
  judge.take({ kind: "watch", manifest: redactManifest(manifest) });
  for (const line of lines) judge.take(JSON.parse(line) as LoadLine);
  const load = judge.finish().load!;
  expect(load).toMatchObject(accuracy);
  expect(load.profiles[0]?.gates).toEqual(JSON.parse(JSON.stringify(result.gates)));
  const hostile = { kind: "calibration", calibration: null, uncalibrated: { text: 1 } } as unknown as LoadLine;
  expect(() => new LedgerJudge({ strict: false }).take(hostile)).toThrow("its reason is no text");
});
