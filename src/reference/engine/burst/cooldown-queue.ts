import type { ServiceClock, ServiceTimer } from "../../clock/service-clock.ts";
import type { Switchboard } from "../../defects/switch.ts";
import type { GateAnswer } from "./burst-gate.ts";

/** A request that waits for the end of a cooldown. */
export interface QueuedRequest {
  /** What the gate would answer this request now; must not change anything. */
  gate(): GateAnswer;
  /** Goes on with the request; the gate is open to it. */
  release(): void;
  /** Forgets the request: the state it belongs to is gone. */
  abandon(): void;
}

/**
 * Requests of one key that wait for the end of its cooldown, first in, first out, bounded. A request that arrives while
 * others wait goes behind them. Clients that leave give up their place.
 */
export interface CooldownQueue {
  /** False when the queue is full. */
  enqueue(keyId: string, request: QueuedRequest): boolean;
  leave(keyId: string, request: QueuedRequest): void;
  /** Releases those that the gate lets through by now. */
  drain(keyId: string): void;
  waiting(keyId: string): number;
  clear(): void;
}

interface KeyQueue {
  readonly requests: QueuedRequest[];
  timer: ServiceTimer | null;
  draining: boolean;
}

export function createCooldownQueue(clock: ServiceClock, switches: Switchboard, capacity: number): CooldownQueue {
  const queues = new Map<string, KeyQueue>();
  let released = 0;

  const arm = (keyId: string, queue: KeyQueue): void => {
    queue.timer?.cancel();
    queue.timer = null;
    const answer = queue.requests[0]?.gate();
    if (answer === undefined || answer.kind === "open" || answer.untilMs === null) return;
    const leadMs = switches.on("burst/queue-leaks-early") ? (answer.untilMs - clock.wallMs()) * 0.3 : 0;
    queue.timer = clock.at(answer.untilMs - leadMs, () => {
      queue.timer = null;
      if (switches.on("burst/queue-leaks-early")) releaseAll(queue);
      else drain(keyId);
    });
  };

  const next = (queue: KeyQueue): QueuedRequest | undefined =>
    switches.on("burst/queue-lifo") ? queue.requests.pop() : queue.requests.shift();

  const release = (request: QueuedRequest | undefined): void => {
    released += 1;
    if (switches.on("burst/queue-drops") && released % 2 === 0) return;
    request?.release();
  };

  const releaseAll = (queue: KeyQueue): void => {
    while (queue.requests.length > 0) release(next(queue));
  };

  const drain = (keyId: string): void => {
    const queue = queues.get(keyId);
    if (queue === undefined || queue.draining) return;
    queue.draining = true;
    while (queue.requests[0]?.gate().kind === "open") release(next(queue));
    queue.draining = false;
    if (queue.requests.length > 0) arm(keyId, queue);
    else {
      queue.timer?.cancel();
      queues.delete(keyId);
    }
  };

  return {
    enqueue: (keyId, request) => {
      const queue = queues.get(keyId) ?? { requests: [], timer: null, draining: false };
      if (queue.requests.length >= capacity) return false;
      queues.set(keyId, queue);
      queue.requests.push(request);
      if (queue.timer === null) arm(keyId, queue);
      return true;
    },
    leave: (keyId, request) => {
      const queue = queues.get(keyId);
      const index = queue?.requests.indexOf(request) ?? -1;
      if (queue === undefined || index < 0) return;
      queue.requests.splice(index, 1);
      drain(keyId);
    },
    drain,
    waiting: (keyId) => queues.get(keyId)?.requests.length ?? 0,
    clear: () => {
      for (const queue of queues.values()) {
        queue.timer?.cancel();
        for (const request of queue.requests.splice(0)) request.abandon();
      }
      queues.clear();
    },
  };
}
