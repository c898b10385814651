import type { SendRequest } from "../../core/exchange/send-request.ts";
import type { Lane } from "./lane.ts";
import { TransportError } from "./transport-error.ts";

/** The right to send one request over a lane. */
export interface Lease {
  readonly lane: Lane;
  /** `stuck`: the lane still holds the request and cannot be used again. */
  release(stuck: boolean): void;
}

/** A lane that serves one number only, and who waits for it. */
interface PinnedLane {
  /** The same for all of its requests: only one holds it at a time. */
  lease: Lease | null;
  busy: boolean;
  readonly waiting: (() => void)[];
}

/** Lanes of one target. Idle ones are reused last in, first out, so that few connections stay warm. */
export class LanePool {
  readonly #create: () => Lane;
  readonly #maxLanes: number;
  readonly #all = new Set<Lane>();
  readonly #idle: Lane[] = [];
  readonly #waiting: ((lane: Lane) => void)[] = [];
  readonly #pinned = new Map<number, PinnedLane>();
  #pooled = 0;
  readonly #closed = new TransportError("aborted", "the wire was closed");

  constructor(create: () => Lane, maxLanes: number) {
    this.#create = create;
    this.#maxLanes = maxLanes;
  }

  /**
   * A lane as the request wants it, at once where one is free. A pooled one waits while all are busy, unless `beyondLimit`
   * asks for one more; a pinned one waits for the requests before it.
   */
  lease(connection: SendRequest["connection"], beyondLimit: boolean): Lease | Promise<Lease> {
    if (typeof connection === "number") return this.#leasePinned(connection);
    if (connection === "fresh") {
      const lane = this.#open();
      return { lane, release: () => this.#discard(lane) };
    }
    const free = this.#takePooled(beyondLimit);
    if (free) return this.#leasePooled(free);
    return new Promise((resolve) => {
      this.#waiting.push((lane) => resolve(this.#leasePooled(lane)));
    });
  }

  async close(): Promise<void> {
    const lanes = [...this.#all];
    this.#all.clear();
    this.#idle.length = 0;
    this.#pinned.clear();
    await Promise.all(lanes.map((lane) => lane.close(this.#closed)));
  }

  #leasePinned(number: number): Lease | Promise<Lease> {
    let pinned = this.#pinned.get(number);
    if (!pinned) {
      pinned = { lease: null, busy: false, waiting: [] };
      this.#pinned.set(number, pinned);
    }
    if (!pinned.busy) return this.#takePinned(pinned);
    const { waiting } = pinned;
    return new Promise((resolve) => {
      waiting.push(() => resolve(this.#takePinned(pinned)));
    });
  }

  #takePinned(pinned: PinnedLane): Lease {
    pinned.busy = true;
    return (pinned.lease ??= this.#pin(pinned));
  }

  #pin(pinned: PinnedLane): Lease {
    const lane = this.#open();
    return {
      lane,
      release: (stuck) => {
        if (stuck) {
          pinned.lease = null;
          this.#discard(lane);
        }
        pinned.busy = false;
        pinned.waiting.shift()?.();
      },
    };
  }

  #leasePooled(lane: Lane): Lease {
    return { lane, release: (stuck) => this.#givePooled(lane, stuck) };
  }

  #takePooled(beyondLimit: boolean): Lane | null {
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#pooled >= this.#maxLanes && !beyondLimit) return null;
    this.#pooled += 1;
    return this.#open();
  }

  #givePooled(lane: Lane, stuck: boolean): void {
    const surplus = this.#pooled > this.#maxLanes;
    if (stuck || surplus) this.#discard(lane);
    const waiting = surplus ? undefined : this.#waiting.shift();
    if (waiting) waiting(stuck ? this.#open() : lane);
    else if (stuck || surplus) this.#pooled -= 1;
    else this.#idle.push(lane);
  }

  #open(): Lane {
    const lane = this.#create();
    this.#all.add(lane);
    return lane;
  }

  #discard(lane: Lane): void {
    this.#all.delete(lane);
    void lane.close(this.#closed);
  }
}
