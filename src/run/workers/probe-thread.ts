import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { wasSent } from "../../core/exchange/was-sent.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { ProbePolicy } from "../../load/profile/probe-policy.ts";
import { createPacedSender } from "../../load/send/paced-sender.ts";
import { createBudget } from "../../wire/budget/budget.ts";
import { createWire } from "../../wire/client/wire.ts";
import { alignClock, type ClockOrigin } from "./align-clock.ts";
import { probeRequest } from "../../load/plan/probe-request.ts";

/** The data that the thread is started with. */
export interface ProbeOrder extends ClockOrigin {
  readonly manifest: Manifest;
  readonly profile: string;
  /** Its key named. */
  readonly probe: ProbePolicy;
  /** Requests that the budget holds for it. */
  readonly most: number;
  /** Last sequence number of the run. */
  readonly seq: SharedArrayBuffer;
  readonly allowance: SharedArrayBuffer | null;
}

export type FromProbe = { readonly kind: "ready" } | { readonly kind: "ended"; readonly exchanges: readonly Exchange[] };

/** `stop`: nothing more is sent. `interrupt`: answers get two seconds from then. `end`: the load has its last answer. */
export type ToProbe = "stop" | "interrupt" | "end";

/** Requests under way at once: a target that stalls is asked no more than that. */
const mostInFlight = 8;
/** For answers that are under way when the load is over. */
const patienceMs = 10_000;
/** For answers that are under way at an interrupt: as long as those of the load get. */
const interruptGraceMs = 2000;

/**
 * Sends the requests of a probe at their instants, whatever becomes of the ones before, until the load is over. In a thread of its own:
 * the loop that sends the load does nothing for it.
 */
async function runProbe(order: ProbeOrder, port: MessagePort): Promise<void> {
  const { manifest, probe, most, allowance } = order;
  const clock = alignClock(order);
  const seq = new Int32Array(order.seq);
  const end = new AbortController();
  // Its worst case is set aside before it starts.
  const free = { ...manifest, budget: { maxRequests: null, maxTokens: null, maxCostUsd: null } };
  const wire = createWire({ manifest: free, clock, budget: createBudget(free), nextSeq: () => Atomics.add(seq, 0, 1) + 1 });
  const timers: NodeJS.Timeout[] = [];
  const giveUpAfter = (ms: number): void => void timers.push(setTimeout(() => wire.giveUp(), ms));
  const endOfLoad = new Promise<void>((resolve) => {
    port.on("message", (message: ToProbe) => {
      end.abort();
      if (message === "interrupt") giveUpAfter(interruptGraceMs);
      if (message !== "end") return;
      giveUpAfter(patienceMs);
      resolve();
    });
  });
  const sender = createPacedSender({ sender: wire, allowance, clock, scheduled: false, stopped: () => end.signal });
  const subject = { manifest, profile: order.profile, key: probe.key };
  const exchanges: Exchange[] = [];
  const underWay = new Set<Promise<unknown>>();
  const post = (message: FromProbe): void => port.postMessage(message);
  post({ kind: "ready" });
  const startMs = clock.nowMs();
  for (let number = 0; number < most; number += 1) {
    const dueMs = startMs + 1000 * probe.everySeconds * number;
    // An end of the load rejects the sleep.
    await clock.sleep(Math.max(0, dueMs - clock.nowMs()), end.signal).catch(() => {});
    if (end.signal.aborted) break;
    if (underWay.size >= mostInFlight) continue;
    const ask = probe.ask[number % probe.ask.length]!;
    const sent = sender.send(probeRequest(ask, subject)).then((exchange) => exchanges.push(exchange));
    underWay.add(sent);
    void sent.finally(() => underWay.delete(sent));
  }
  await endOfLoad;
  await Promise.all(underWay);
  for (const timer of timers) clearTimeout(timer);
  await wire.close();
  // One that the end of the load overtook says nothing of the target.
  post({ kind: "ended", exchanges: exchanges.filter(wasSent) });
  port.close();
}

if (parentPort !== null) {
  const port = parentPort;
  // A fault of ours ends the thread, and the wait for it (`startProbe`).
  runProbe(workerData as ProbeOrder, port).catch((error: unknown) => {
    setImmediate(() => {
      throw error;
    });
  });
}
