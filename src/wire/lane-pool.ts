import type { SendRequest } from "../core/send-request.ts";
import type { Lane } from "./lane.ts";

/** The right to send one request over a lane. */
export interface Lease {
  readonly lane: Lane;
  /** `stuck`: the lane still holds the request and cannot be used again. */
  release(stuck: boolean): void;
}

/** Lanes of one target. Idle ones are reused last in, first out, so that few connections stay warm. */
export class LanePool {
  readonly #create: () => Lane;
  readonly #maxLanes: number;
  readonly #all = new Set<Lane>();
  readonly #idle: Lane[] = [];
  readonly #waiting: ((lane: Lane) => void)[] = [];
  readonly #pinned = new Map<number, Lane>();
  /** By number of the pinned lane: settles when its last request is done. */
  readonly #turns = new Map<number, Promise<void>>();
  #pooled = 0;

  constructor(create: () => Lane, maxLanes: number) {
    this.#create = create;
    this.#maxLanes = maxLanes;
  }

  /** A lane as the request wants it; a pooled one waits while all are busy, unless `beyondLimit` asks for one more. */
  async lease(connection: SendRequest["connection"], beyondLimit: boolean): Promise<Lease> {
    if (typeof connection === "number") return this.#leasePinned(connection);
    if (connection === "fresh") {
      const lane = this.#open();
      return { lane, release: () => this.#discard(lane) };
    }
    const lane = this.#takePooled(beyondLimit) ?? (await new Promise<Lane>((resolve) => void this.#waiting.push(resolve)));
    return { lane, release: (stuck) => this.#givePooled(lane, stuck) };
  }

  async close(): Promise<void> {
    const lanes = [...this.#all];
    this.#all.clear();
    this.#idle.length = 0;
    this.#pinned.clear();
    await Promise.all(lanes.map((lane) => lane.close()));
  }

  async #leasePinned(number: number): Promise<Lease> {
    const before = this.#turns.get(number);
    let endTurn = (): void => {};
    this.#turns.set(
      number,
      new Promise((resolve) => {
        endTurn = resolve;
      }),
    );
    await before;
    let lane = this.#pinned.get(number);
    if (!lane) {
      lane = this.#open();
      this.#pinned.set(number, lane);
    }
    const leased = lane;
    return {
      lane: leased,
      release: (stuck) => {
        if (stuck) {
          this.#pinned.delete(number);
          this.#discard(leased);
        }
        endTurn();
      },
    };
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
    void lane.close();
  }
}
