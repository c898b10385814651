import { setTimeout } from "node:timers/promises";
import type { Clock } from "../../../src/core/clock.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Sender, SendRequest } from "../../../src/core/exchange/send-request.ts";
import type { ServiceClock } from "../../../src/reference/clock/service-clock.ts";

/**
 * The time that one reading of the clock takes, ms: instants differ and keep their order, and nothing depends on the speed of a
 * machine.
 */
const readingMs = 0.01;

/** Turns of the event loop without an answer after which a request counts as held, if the service has set a timer. */
const heldTurns = 60;
/** The same where no timer is set: nobody is going to answer it. */
const silentTurns = 1500;
/** Between looks at a request that nobody answers, in real time. */
const silentMs = 20;

export interface HandClock extends Clock {
  /** Returns the sender for programs that use this clock: time stands still while an answer is on its way. */
  watch(sender: Sender): Sender;
}

/** A request under way: when its sender loses patience, by this clock. */
interface Awaited {
  readonly dueMs: number;
  giveUp(): void;
}

interface Patient extends Awaited {
  readonly request: SendRequest;
}

interface Sleeper {
  readonly dueMs: number;
  readonly signal: AbortSignal | undefined;
  wake(): void;
  fail(reason: unknown): void;
}

/**
 * The clock of a service in this process, moved by hand: time passes only when everybody sleeps or waits for an answer that the
 * service holds back, and then to whatever comes first, a sleeper or a timer of the service. Between that it passes by being read.
 * A request that says how long it may take is given up when so much has passed: here, or, by an exam that knows that it moves the clock
 * of the service, in real time. Same order of requests, same instants.
 */
export function createHandClock(service: ServiceClock, timeouts: "here" | "in real time" = "here"): HandClock {
  const bornMs = service.wallMs();
  const sleepers = new Set<Sleeper>();
  let elapsedMs = 0;
  const underWay = new Set<Awaited>();
  let answers = 0;
  let moving: Promise<void> | null = null;
  const nowMs = (): number => (elapsedMs += readingMs);
  const isAwaited = (): boolean => underWay.size > 0;

  /** True as soon as nothing moves by itself any more; false where the next answer has to be waited for. */
  const isQuiet = async (): Promise<boolean> => {
    const before = answers;
    const isHeld = (): boolean => service.nextTimerMs() !== null;
    for (let turn = 0; turn < (isHeld() ? heldTurns : silentTurns) && isAwaited(); turn += 1) {
      await oneTurn();
      if (answers !== before) return false;
    }
    await oneTurn();
    if (answers !== before) return false;
    if (!isAwaited() || isHeld() || Number.isFinite(firstDueMs(underWay))) return true;
    // Given up in real time only: seconds of turns would keep a core busy.
    await setTimeout(silentMs);
    return false;
  };

  const step = async (): Promise<void> => {
    const next = [...sleepers].toSorted((one, other) => one.dueMs - other.dueMs)[0];
    const timerMs = isAwaited() ? service.nextTimerMs() : null;
    const goals = [next?.dueMs ?? Number.POSITIVE_INFINITY, timerMs === null ? Number.POSITIVE_INFINITY : timerMs - bornMs];
    const goalMs = Math.min(...goals, firstDueMs(underWay));
    if (!Number.isFinite(goalMs)) return;
    elapsedMs = Math.max(elapsedMs, goalMs);
    await service.advance(Math.max(0, bornMs + elapsedMs - service.wallMs()));
    for (const one of [...underWay].filter(({ dueMs }) => dueMs <= elapsedMs)) one.giveUp();
    if (next === undefined || next.dueMs > elapsedMs || next.signal?.aborted === true) return;
    sleepers.delete(next);
    next.wake();
  };

  const move = async (): Promise<void> => {
    while (sleepers.size > 0 || isAwaited()) {
      if (await isQuiet()) await step();
      for (const sleeper of [...sleepers].filter(({ signal }) => signal?.aborted === true)) {
        sleepers.delete(sleeper);
        sleeper.fail(sleeper.signal?.reason);
      }
    }
    moving = null;
  };

  const watched = async <Answer>(
    requests: readonly SendRequest[],
    send: (patient: SendRequest[]) => Promise<Answer>,
  ): Promise<Answer> => {
    const own = requests.map((request): Patient => {
      const patienceMs = timeouts === "here" ? (request.totalTimeoutMs ?? request.timeoutMs) : undefined;
      if (patienceMs === undefined) return { dueMs: Number.POSITIVE_INFINITY, giveUp: () => undefined, request };
      const patience = new AbortController();
      const signal = AbortSignal.any([patience.signal, ...(request.signal === undefined ? [] : [request.signal])]);
      return { dueMs: elapsedMs + patienceMs, giveUp: () => patience.abort(), request: { ...request, signal } };
    });
    for (const one of own) underWay.add(one);
    moving ??= move();
    try {
      return await send(own.map(({ request }) => request));
    } finally {
      for (const one of own) underWay.delete(one);
      answers += 1;
    }
  };

  return {
    nowMs,
    wallMs: () => bornMs + nowMs(),
    sleep: (ms, signal) =>
      new Promise((wake, fail) => {
        if (signal?.aborted === true) return fail(signal.reason as Error);
        sleepers.add({ dueMs: elapsedMs + Math.max(0, ms), signal, wake, fail });
        moving ??= move();
      }),
    watch: (sender) => ({
      send: (request) => watched([request], async ([patient]) => asTimeout(await sender.send(patient!), request)),
      burst: (requests) =>
        watched(requests, async (patient) =>
          (await sender.burst(patient)).map((exchange, at) => asTimeout(exchange, requests[at]!)),
        ),
    }),
  };
}

function firstDueMs(underWay: ReadonlySet<Awaited>): number {
  return Math.min(Number.POSITIVE_INFINITY, ...[...underWay].map(({ dueMs }) => dueMs));
}

/** A request that this clock gave up ends as a wire ends it by its own; the recorder keeps the object that it handed out. */
function asTimeout(exchange: Exchange, request: SendRequest): Exchange {
  const { signal, leaveAfterBytes, leaveUploadAfterBytes } = request;
  const leaves = leaveAfterBytes !== undefined || leaveUploadAfterBytes !== undefined;
  if (exchange.failure?.kind !== "aborted" || signal?.aborted === true || leaves) return exchange;
  return Object.assign(exchange, { failure: { kind: "timeout", message: "no answer in time" } });
}

/** All promise jobs and one turn of input and output. */
function oneTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
