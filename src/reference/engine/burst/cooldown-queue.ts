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

interface Lane {
  readonly requests: QueuedRequest[];
  timer: ServiceTimer | null;
  draining: boolean;
}

export function createCooldownQueue(clock: ServiceClock, switches: Switchboard, capacity: number): CooldownQueue {
  const lanes = new Map<string, Lane>();
  let released = 0;

  const arm = (keyId: string, lane: Lane): void => {
    lane.timer?.cancel();
    lane.timer = null;
    const answer = lane.requests[0]?.gate();
    if (answer === undefined || answer.kind === "open" || answer.untilMs === null) return;
    const leadMs = switches.on("burst/queue-leaks-early") ? (answer.untilMs - clock.wallMs()) * 0.3 : 0;
    lane.timer = clock.at(answer.untilMs - leadMs, () => {
      lane.timer = null;
      if (switches.on("burst/queue-leaks-early")) releaseAll(lane);
      else drain(keyId);
    });
  };

  const next = (lane: Lane): QueuedRequest | undefined =>
    switches.on("burst/queue-lifo") ? lane.requests.pop() : lane.requests.shift();

  const release = (request: QueuedRequest | undefined): void => {
    released += 1;
    if (switches.on("burst/queue-drops") && released % 2 === 0) return;
    request?.release();
  };

  const releaseAll = (lane: Lane): void => {
    while (lane.requests.length > 0) release(next(lane));
  };

  const drain = (keyId: string): void => {
    const lane = lanes.get(keyId);
    if (lane === undefined || lane.draining) return;
    lane.draining = true;
    while (lane.requests[0]?.gate().kind === "open") release(next(lane));
    lane.draining = false;
    if (lane.requests.length > 0) arm(keyId, lane);
    else {
      lane.timer?.cancel();
      lanes.delete(keyId);
    }
  };

  return {
    enqueue: (keyId, request) => {
      const lane = lanes.get(keyId) ?? { requests: [], timer: null, draining: false };
      if (lane.requests.length >= capacity) return false;
      lanes.set(keyId, lane);
      lane.requests.push(request);
      if (lane.timer === null) arm(keyId, lane);
      return true;
    },
    leave: (keyId, request) => {
      const lane = lanes.get(keyId);
      const index = lane?.requests.indexOf(request) ?? -1;
      if (lane === undefined || index < 0) return;
      lane.requests.splice(index, 1);
      drain(keyId);
    },
    drain,
    waiting: (keyId) => lanes.get(keyId)?.requests.length ?? 0,
    clear: () => {
      for (const lane of lanes.values()) {
        lane.timer?.cancel();
        for (const request of lane.requests.splice(0)) request.abandon();
      }
      lanes.clear();
    },
  };
}
