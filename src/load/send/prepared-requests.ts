import type { ChatMessage } from "../profile/workload-item.ts";
import type { PlannedSend } from "../profile/planned-send.ts";
import type { LoadRequest, Workload } from "../workload/workload.ts";

/** A body that was built ahead of its time. */
interface Prepared {
  readonly index: number;
  readonly request: LoadRequest;
}

/** More than are ever built ahead; one that is overwritten is built again. */
const places = 1024;

/** Bodies built ahead of their time, so that building them delays no send. A ring: no table grows and shrinks at this rate. */
export class PreparedRequests {
  readonly #workload: Workload;
  readonly #ring: (Prepared | undefined)[] = Array.from({ length: places });

  constructor(workload: Workload) {
    this.#workload = workload;
  }

  prepare(index: number, planned: PlannedSend): void {
    const place = index % places;
    if (this.#ring[place]?.index === index) return;
    this.#ring[place] = { index, request: this.#workload.request(index, planned) };
  }

  /** The request that was prepared for this send, else one that is built now; a turn with a history is always built now. */
  take(index: number, planned: PlannedSend, history: readonly ChatMessage[]): LoadRequest {
    const place = index % places;
    const found = this.#ring[place];
    if (found?.index === index) {
      this.#ring[place] = undefined;
      if (history.length === 0) return found.request;
    }
    return this.#workload.request(index, planned, history);
  }
}
