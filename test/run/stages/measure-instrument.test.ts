import { describe, expect, it } from "vitest";
import type { Clock } from "../../../src/core/clock.ts";
import type { CalibrationResult, ErrorSpread, InstrumentAccuracy } from "../../../src/core/result/generator-health.ts";
import { redactManifest } from "../../../src/config/redact-manifest.ts";
import type { LoadLine } from "../../../src/run/record/ledger-file.ts";
import { LedgerJudge } from "../../../src/run/record/ledger-judge.ts";
import { measureInstrument } from "../../../src/run/stages/measure-instrument.ts";
import { openInstrument } from "../../../src/run/stages/open-instrument.ts";
import { keep } from "../../make/keep.ts";
import { manifestFor, startTarget, streamWords } from "../../make/load/load-target.ts";
import { sendProfile, shortProfile } from "../../make/load/run-against.ts";

const small: ErrorSpread = { p50: 0.1, p95: 0.2, p99: 0.4, max: 0.5, samples: 700 };
const none: ErrorSpread = { p50: null, p95: null, p99: null, samples: 0 };
const sharp: CalibrationResult = {
  ttftErrorMs: small,
  eventErrorMs: small,
  interTokenErrorMs: small,
  tpotErrorMs: small,
  intervalCoverage: 1,
  upperBoundHeld: 1,
  ceiling: { requestsPerSecond: 1000, eventsPerSecond: 1000, streams: 100 },
  durationMs: 1640,
};
const blurred: CalibrationResult = { ...sharp, intervalCoverage: 0.7 };
const failure = "the calibration of this machine failed: busy";

/** Moves by its sleeps, and by as much as each try takes. */
function virtualClock(): Clock & { readonly pass: (ms: number) => void } {
  let now = 0;
  const pass = (ms: number): void => void (now += ms);
  return {
    pass,
    nowMs: () => now,
    wallMs: () => now,
    sleep: (ms, signal) => (signal?.aborted === true ? Promise.reject(new Error("ended")) : Promise.resolve(pass(ms))),
  };
}

/** The accuracy after tries that come to this, the last of them again and again; and how many there were. */
async function measure(
  outcomes: readonly (CalibrationResult | Error | null)[],
  options: { readonly tryMs?: number; readonly mostTries?: number } = {},
): Promise<{ readonly accuracy: InstrumentAccuracy; readonly tries: number }> {
  const clock = virtualClock();
  const { tryMs = 1640, ...rest } = options;
  let tries = 0;
  const accuracy = await measureInstrument({
    seed: 1,
    signal: new AbortController().signal,
    clock,
    ...rest,
    async calibrateOnce() {
      const outcome = outcomes[Math.min(tries, outcomes.length - 1)] ?? null;
      tries += 1;
      clock.pass(tryMs);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
  });
  return { accuracy, tries };
}

describe("the calibration of this machine", () => {
  it("is made once where it succeeds", async () => {
    expect(await measure([sharp])).toEqual({ accuracy: { calibration: sharp }, tries: 1 });
  });

  it("is tried again where a busy moment made it fail, or left nothing that can be believed", async () => {
    const busy = new Error("busy");
    expect(await measure([busy, sharp])).toEqual({ accuracy: { calibration: sharp }, tries: 2 });
    expect(await measure([busy, busy, sharp])).toEqual({ accuracy: { calibration: sharp }, tries: 3 });
    expect(await measure([blurred, sharp])).toEqual({ accuracy: { calibration: sharp }, tries: 2 });
    expect(await measure([{ ...sharp, ttftErrorMs: none }, sharp])).toEqual({ accuracy: { calibration: sharp }, tries: 2 });
  });

  it("is given up after three tries, and one that knows little counts before none", async () => {
    const busy = new Error("busy");
    expect(await measure([busy])).toEqual({ accuracy: { calibration: null, uncalibrated: failure }, tries: 3 });
    expect(await measure([blurred, busy])).toEqual({ accuracy: { calibration: blurred }, tries: 3 });
    expect(await measure([busy], { mostTries: 1 })).toMatchObject({ tries: 1 });
  });

  it("is not made again where a try took half a minute, or the run was ended", async () => {
    expect(await measure([new Error("busy")], { tryMs: 120_000 })).toMatchObject({ tries: 1 });
    expect(await measure([null])).toEqual({ accuracy: { calibration: null }, tries: 1 });
    expect(await measure([new Error("busy"), null])).toMatchObject({ accuracy: { uncalibrated: failure } });
  });

  it("is not begun in a run that was ended", async () => {
    const ended = new AbortController();
    let tries = 0;
    const calibrateOnce = (): Promise<never> => {
      tries += 1;
      ended.abort();
      return Promise.reject(new Error("busy"));
    };
    const options = { seed: 1, signal: ended.signal, clock: virtualClock(), calibrateOnce };
    expect(await measureInstrument(options)).toEqual({ calibration: null, uncalibrated: failure });
    expect(await measureInstrument({ ...options, mostTries: 1 })).toEqual({ calibration: null });
    expect(tries).toBe(1);
  });

  it("is no fault of the run where it fails, and the reason is kept", async () => {
    const signal = new Proxy(new AbortController().signal, {
      get: () => {
        throw new Error("no signal");
      },
    });
    expect(await measureInstrument({ seed: 1, signal, mostTries: 1 })).toEqual({
      calibration: null,
      uncalibrated: "the calibration of this machine failed: no signal",
    });
  });
});

describe("after a load whose calibration had failed", () => {
  const unknown = { calibration: null, uncalibrated: failure };

  it("is tried once more after each profile until it succeeds, and counts for those that follow", async () => {
    const results: InstrumentAccuracy[] = [unknown, unknown, { calibration: null }, { calibration: sharp }];
    const asked: (number | undefined)[] = [];
    const known: InstrumentAccuracy[] = [];
    const instrument = await openInstrument(
      (mostTries) => {
        asked.push(mostTries);
        return Promise.resolve(results.shift() ?? unknown);
      },
      (accuracy) => known.push(accuracy),
    );
    expect(instrument.accuracy).toEqual(unknown);
    expect([await instrument.again(), await instrument.again()]).toEqual([unknown, unknown]);
    expect([await instrument.again(), await instrument.again()]).toEqual([{ calibration: sharp }, { calibration: sharp }]);
    expect(instrument.accuracy).toEqual({ calibration: sharp });
    expect([asked, known]).toEqual([[undefined, 1, 1, 1], [{ calibration: sharp }]]);
  });

  it("decides the gates on times, and the record is judged alike", async () => {
    const target = keep(await startTarget((_, response) => streamWords(response, 3, 4, 2)));
    const manifest = manifestFor(target.baseUrl);
    const gates = ["ttft.p50 < 60s"];
    const profile = shortProfile({ durationSeconds: 0.5, gates });
    const lines: string[] = [];
    const ledger = (json: string): void => void lines.push(json);
    let asked = 0;
    const recalibrate = (): Promise<InstrumentAccuracy> => {
      asked += 1;
      ledger(JSON.stringify({ kind: "calibration", calibration: sharp }));
      return Promise.resolve({ calibration: sharp });
    };
    const result = await sendProfile(profile, manifest, { ...unknown, ledger, recalibrate });
    expect(result.gates.map(({ verdict }) => verdict)).toEqual(["pass"]);
    const judge = new LedgerJudge({ strict: false });
    judge.take({ kind: "calibration", ...unknown });
    judge.take({ kind: "watch", manifest: redactManifest(manifest) });
    for (const line of lines) judge.take(JSON.parse(line) as LoadLine);
    const load = judge.finish().load;
    expect(load?.calibration).toEqual(sharp);
    expect(load?.profiles[0]?.gates).toEqual(JSON.parse(JSON.stringify(result.gates)));
    await sendProfile(profile, manifest, { calibration: sharp, recalibrate });
    expect(asked).toBe(1);
  });
});
