import type { SendRequest } from "../../core/exchange/send-request.ts";
import type { ConnectionSlot } from "./connection-slot.ts";
import { TransportError } from "../http/transport-error.ts";

/** The right to send one request over a slot. */
export interface SlotLoan {
  readonly slot: ConnectionSlot;
  /** `stuck`: the slot still holds the request and cannot be used again. */
  release(stuck: boolean): void;
}

/** A slot that serves one number only, and who waits for it. */
interface PinnedSlot {
  /** One lease for all of its requests, held by one of them at a time. */
  lease: SlotLoan | null;
  busy: boolean;
  readonly waiting: (() => void)[];
}

/** Slots of one target. Idle ones are reused last in, first out, so that few connections stay warm. */
export class SlotPool {
  readonly #create: () => ConnectionSlot;
  readonly #maxSlots: number;
  readonly #all = new Set<ConnectionSlot>();
  readonly #idle: ConnectionSlot[] = [];
  readonly #waiting: ((slot: ConnectionSlot) => void)[] = [];
  readonly #pinned = new Map<number, PinnedSlot>();
  #pooled = 0;
  readonly #closed = new TransportError("aborted", "the wire was closed");

  constructor(create: () => ConnectionSlot, maxSlots: number) {
    this.#create = create;
    this.#maxSlots = maxSlots;
  }

  /**
   * A slot as the request wants it, at once where one is free. A pooled one waits while all are busy, unless `beyondLimit`
   * asks for one more; a pinned one waits for the requests before it.
   */
  lease(connection: SendRequest["connection"], beyondLimit: boolean): SlotLoan | Promise<SlotLoan> {
    if (typeof connection === "number") return this.#leasePinned(connection);
    if (connection === "fresh") {
      const slot = this.#open();
      return { slot, release: () => this.#discard(slot) };
    }
    const free = this.#takePooled(beyondLimit);
    if (free) return this.#leasePooled(free);
    return new Promise((resolve) => {
      this.#waiting.push((slot) => resolve(this.#leasePooled(slot)));
    });
  }

  async close(): Promise<void> {
    const slots = [...this.#all];
    this.#all.clear();
    this.#idle.length = 0;
    this.#pinned.clear();
    await Promise.all(slots.map((slot) => slot.close(this.#closed)));
  }

  #leasePinned(number: number): SlotLoan | Promise<SlotLoan> {
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

  #takePinned(pinned: PinnedSlot): SlotLoan {
    pinned.busy = true;
    return (pinned.lease ??= this.#pin(pinned));
  }

  #pin(pinned: PinnedSlot): SlotLoan {
    const slot = this.#open();
    return {
      slot,
      release: (stuck) => {
        if (stuck) {
          pinned.lease = null;
          this.#discard(slot);
        }
        pinned.busy = false;
        pinned.waiting.shift()?.();
      },
    };
  }

  #leasePooled(slot: ConnectionSlot): SlotLoan {
    return { slot, release: (stuck) => this.#givePooled(slot, stuck) };
  }

  #takePooled(beyondLimit: boolean): ConnectionSlot | null {
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#pooled >= this.#maxSlots && !beyondLimit) return null;
    this.#pooled += 1;
    return this.#open();
  }

  #givePooled(slot: ConnectionSlot, stuck: boolean): void {
    const surplus = this.#pooled > this.#maxSlots;
    if (stuck || surplus) this.#discard(slot);
    const waiting = surplus ? undefined : this.#waiting.shift();
    if (waiting) waiting(stuck ? this.#open() : slot);
    else if (stuck || surplus) this.#pooled -= 1;
    else this.#idle.push(slot);
  }

  #open(): ConnectionSlot {
    const slot = this.#create();
    this.#all.add(slot);
    return slot;
  }

  #discard(slot: ConnectionSlot): void {
    this.#all.delete(slot);
    void slot.close(this.#closed);
  }
}
