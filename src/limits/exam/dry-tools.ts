import { mostAtOnce, type ProbeTools } from "../probe/probe-tools.ts";
import type { DryRequests } from "./dry-requests.ts";

/** Tools of a dry run: those of any exam (`inner`), but for the requests that use up request limits. */
export function createDryTools(inner: ProbeTools, quick: DryRequests): ProbeTools {
  const { manifest, sender, clock, random, exam, onProgress, signal, journal, windowMs, sent, unreached, askedAfterAll } = inner;
  return {
    manifest,
    sender,
    clock,
    random,
    exam,
    onProgress,
    signal,
    journal,
    windowMs,
    sent,
    unreached,
    askedAfterAll,
    // The model counts in a way that is known: nothing has to be distinguished.
    identifies: false,
    send: async (probe) => (probe.policy === "requests" ? quick.send(probe, 1)[0]! : inner.send(probe)),
    burst: async (probe, count) =>
      probe.policy === "requests" ? quick.send(probe, Math.min(count, mostAtOnce)) : inner.burst(probe, count),
    tick: () => inner.tick(),
    sendExchange: (request) => inner.sendExchange(request),
    sendAtOnce: (requests) => inner.sendAtOnce(requests),
    keep: (exchange) => inner.keep(exchange),
    sleep: (ms, reason) => inner.sleep(ms, reason),
    sleepingBy: (sleep) => createDryTools(inner.sleepingBy(sleep), quick),
    enter: (phase) => inner.enter(phase),
    notJudged: (what) => inner.notJudged(what),
    asked: (part) => inner.asked(part),
    msLeft: () => inner.msLeft(),
  };
}
