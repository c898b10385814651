import { readProfile } from "../../src/load/plan/read-profile.ts";
import { runLoadProfile } from "../../src/load/run-load-profile.ts";
import { type RunningProbe, startProbe } from "../../src/run/workers/start-probe.ts";
import { createBudget } from "../../src/wire/budget/budget.ts";
import { createRealClock } from "../../src/wire/clock/real-clock.ts";
import { createWire } from "../../src/wire/client/wire.ts";
import { manifestFor } from "../../test/make/load/load-target.ts";

/** One load in a process of its own: `client loop|rate everySeconds seconds url`; 0: no probe. Answers its parent with the figures. */
export interface ProbeBenchFigures {
  readonly requests: number;
  readonly asked: number;
  readonly seconds: number;
  /** Of all threads. */
  readonly cpuMicroseconds: number;
  readonly loopUtilization: number;
  readonly dispatchDelayP99Ms: number | null;
}

const [what = "loop", every = "0", length = "3", url = ""] = process.argv.slice(2);
const everySeconds = Number(every);
const manifest = manifestFor(url);
const clock = createRealClock();
const seq = new SharedArrayBuffer(4);
const nextSeq = (): number => Atomics.add(new Int32Array(seq), 0, 1) + 1;
const wire = createWire({ manifest, clock, nextSeq });
const profile = readProfile(
  JSON.stringify({
    id: "bench",
    title: "Bench",
    arrivals: what === "loop" ? { kind: "closed", concurrency: 16 } : { kind: "constant", ratePerSecond: 200 },
    durationSeconds: Number(length),
    workload: [{ endpoint: "models" }],
  }),
  "bench",
);
const probe: RunningProbe | null =
  everySeconds === 0
    ? null
    : await startProbe({
        profile: { ...profile, probe: { key: "primary", everySeconds, ask: ["models", "chat", "chat-stream", "error"] } },
        manifest,
        clock,
        budget: createBudget(manifest),
        seq,
        allowance: null,
        signal: new AbortController().signal,
      });
const before = process.cpuUsage();
const startedMs = performance.now();
let asked = 0;
const { counts, health } = await runLoadProfile({
  profile,
  manifest,
  sender: wire,
  clock,
  seed: 1,
  onSent: () => probe?.stop(),
  async endBeside() {
    asked = (await probe?.finish())?.length ?? 0;
  },
});
const { user, system } = process.cpuUsage(before);
const seconds = (performance.now() - startedMs) / 1000;
await wire.close();
const figures: ProbeBenchFigures = {
  requests: counts.completed,
  asked,
  seconds,
  cpuMicroseconds: user + system,
  loopUtilization: health.loopUtilization ?? 0,
  dispatchDelayP99Ms: health.dispatchDelayP99Ms,
};
process.send?.(figures, () => process.exit(0));
