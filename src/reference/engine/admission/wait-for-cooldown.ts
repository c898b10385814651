import type { Admission } from "../admission.ts";
import type { GateAnswer } from "../burst/burst-gate.ts";
import type { QueuedRequest } from "../burst/cooldown-queue.ts";
import type { AdmissionParts } from "./admission-parts.ts";
import type { Arrival } from "./arrival.ts";
import { noteArrival } from "./note-arrival.ts";

/** What a request does that waits. */
export interface Waiting {
  /** What the gate says of it now. */
  ask(): GateAnswer;
  /** Goes on when the gate is open. */
  enter(): Admission | Promise<Admission>;
  /** The queue is full. */
  refuse(): Admission;
}

export function waitForCooldown(parts: AdmissionParts, arrival: Arrival, waiting: Waiting): Promise<Admission> {
  const { queue } = parts;
  const { key, work } = arrival;
  // Read here only: the surface makes the signal when it is asked for.
  const { signal } = work;
  if (signal?.aborted === true) return Promise.resolve({ kind: "abandoned" });
  return new Promise((resolve) => {
    const finish = (admission: Admission | Promise<Admission>): void => {
      signal?.removeEventListener("abort", leave);
      resolve(admission);
    };
    const request: QueuedRequest = {
      gate: () => waiting.ask(),
      release: () => finish(waiting.enter()),
      abandon: () => finish({ kind: "abandoned" }),
    };
    const leave = (): void => {
      queue.leave(key.id, request);
      noteArrival(parts, arrival, "abandoned");
      finish({ kind: "abandoned" });
    };
    if (!queue.enqueue(key.id, request)) return resolve(waiting.refuse());
    signal?.addEventListener("abort", leave, { once: true });
    noteArrival(parts, arrival, "queued");
  });
}
