import { Worker } from "node:worker_threads";
import type { Clock } from "../../core/clock.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Manifest } from "../../core/manifest.ts";
import { probeCost } from "../../load/plan/probe-cost.ts";
import type { LoadProfile } from "../../load/profile/load-profile.ts";
import { probeKeyName } from "../../load/profile/probe-policy.ts";
import type { Budget } from "../../wire/budget/budget.ts";
import { monotonicOriginMs } from "../../wire/clock/monotonic-origin.ts";
import { compiledFile } from "../compiled-file.ts";
import type { FromProbe, ProbeOrder, ToProbe } from "./probe-thread.ts";

export interface ProbeStart {
  /** With a probe. */
  readonly profile: LoadProfile & Required<Pick<LoadProfile, "probe">>;
  readonly manifest: Manifest;
  readonly clock: Clock;
  readonly budget: Pick<Budget, "reserveMany">;
  readonly seq: SharedArrayBuffer;
  readonly allowance: SharedArrayBuffer | null;
  /** An interrupt of the run: the probe sends nothing more, and its answers get two seconds. */
  readonly signal: AbortSignal;
}

export interface RunningProbe {
  /** It sends nothing more; answers may still come. */
  stop(): void;
  /** Ends it: the exchanges that it sent, once the last one is over. */
  finish(): Promise<readonly Exchange[]>;
  /** Ends it without its exchanges; does nothing where it has ended. */
  abandon(): Promise<void>;
}

/** The part of what the budget still holds that a probe may take: the rest is left to the load. */
const mostShare = 1 / 4;

/** A probe in a thread of its own, which sends its first request when this resolves. Its worst case is set aside in the budget. */
export async function startProbe({
  profile,
  manifest,
  clock,
  budget,
  seq,
  allowance,
  signal,
}: ProbeStart): Promise<RunningProbe> {
  const { probe } = profile;
  const key = probeKeyName(probe.key, manifest);
  const { requests, each } = probeCost(profile, manifest);
  const reserved = budget.reserveMany(requests, each, mostShare);
  const order: ProbeOrder = {
    manifest,
    profile: profile.id,
    probe: { ...probe, key },
    most: reserved.requests,
    originMs: monotonicOriginMs(() => clock.nowMs()),
    wallAtZeroMs: clock.wallMs() - clock.nowMs(),
    seq,
    allowance,
  };
  const worker = new Worker(compiledFile("run/workers/probe-thread.js"), { workerData: order });
  const ended = new Promise<readonly Exchange[]>((resolve, reject) => {
    worker.on("message", (message: FromProbe) => {
      if (message.kind === "ended") resolve(message.exchanges);
    });
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`the thread of the probe ended with code ${code}`)));
  });
  // Its end is no fault if nobody waits for it any more.
  ended.catch(() => {});
  await Promise.race([new Promise<void>((resolve) => worker.once("message", () => resolve())), ended]);
  const post = (message: ToProbe): void => worker.postMessage(message, []);
  const interrupt = (): void => post("interrupt");
  if (signal.aborted) interrupt();
  signal.addEventListener("abort", interrupt, { once: true });
  return {
    stop: () => post("stop"),
    async finish() {
      post("end");
      const exchanges = await ended;
      signal.removeEventListener("abort", interrupt);
      reserved.settle(exchanges.length);
      return exchanges;
    },
    async abandon() {
      signal.removeEventListener("abort", interrupt);
      await worker.terminate();
    },
  };
}
