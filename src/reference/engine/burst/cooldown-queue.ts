import type { ServiceClock, ServiceTimer } from "../../clock/service-clock.ts";
import type { GateAnswer } from "./burst-gate.ts";
import type { QueueRules } from "./queue-rules.ts";

/** A request that waits for the end of a cooldown. */
export interface QueuedRequest {
  /** The answer that the gate would give to this request now; must not change anything. */
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
  clear(): void;
}

interface KeyQueue {
  readonly requests: QueuedRequest[];
  timer: ServiceTimer | null;
  draining: boolean;
}

export function createCooldownQueue(clock: ServiceClock, rules: QueueRules, capacity: number): CooldownQueue {
  const queues = new Map<string, KeyQueue>();

  const arm = (keyId: string, queue: KeyQueue): void => {
    queue.timer?.cancel();
    queue.timer = null;
    const answer = queue.requests[0]?.gate();
    if (answer === undefined || answer.kind === "open" || answer.untilMs === null) return;
    queue.timer = clock.at(rules.looksAtMs(answer.untilMs, clock.wallMs()), () => {
      queue.timer = null;
      drain(keyId, rules.lets);
    });
  };

  const drain = (keyId: string, lets: (answer: GateAnswer) => boolean): void => {
    const queue = queues.get(keyId);
    if (queue === undefined || queue.draining) return;
    queue.draining = true;
    for (let first = queue.requests[0]; first !== undefined && lets(first.gate()); first = queue.requests[0]) {
      const leaving = rules.takeNext(queue.requests);
      if (leaving !== undefined) rules.release(() => leaving.release());
    }
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
      drain(keyId, isOpen);
    },
    drain: (keyId) => drain(keyId, isOpen),
    clear: () => {
      for (const queue of queues.values()) {
        queue.timer?.cancel();
        for (const request of queue.requests.splice(0)) request.abandon();
      }
      queues.clear();
    },
  };
}

function isOpen(answer: GateAnswer): boolean {
  return answer.kind === "open";
}
