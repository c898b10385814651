import type { Admission, Work } from "../admission.ts";
import type { GateAnswer } from "../burst/burst-gate.ts";
import type { KeyRecord } from "../keys/key-record.ts";
import type { RateCheck } from "../limiter/rate-op.ts";
import type { AdmissionParts } from "./admission-parts.ts";
import { purchaseOf, type Arrival } from "./arrival.ts";
import { askCaps, askLimits, askRate, type Answer } from "./ask-limits.ts";
import { createTicket } from "./create-ticket.ts";
import { noteArrival } from "./note-arrival.ts";
import { refuseArrival, refuseCooling } from "./refuse-arrival.ts";
import type { QueuedRequest } from "../burst/cooldown-queue.ts";

/** Asks every limit about one request, all in one turn of the event loop. */
export interface RequestAdmission {
  admit(key: KeyRecord, work: Work): Promise<Admission>;
  /** Leases given out so far settle into nothing. */
  voidLeases(): void;
}

type Admitting = Admission | Promise<Admission>;

export function createRequestAdmission(parts: AdmissionParts): RequestAdmission {
  const { clock, keys, limiter, gate, queue, ledger } = parts;
  const rules = parts.seams.admission;
  let generation = 0;

  /** With the settings as they are now: they may have changed while the request waited. */
  const present = (arrival: Arrival): Arrival => ({ ...arrival, key: keys.byId(arrival.key.id) ?? arrival.key });

  const askGate = ({ key, work }: Arrival): GateAnswer => gate.check(key, work.endpoint, clock.wallMs());

  const meetCooldown = (arrival: Arrival, answer: GateAnswer): Admitting => {
    const refuse = (): Admission => refuseCooling(parts, arrival, answer);
    if (!rules.queues(arrival.key)) return refuse();
    const ask = (): GateAnswer => askGate(present(arrival));
    return waitForCooldown(parts, arrival, { ask, enter: () => enter(present(arrival)), refuse });
  };

  /** Everything after the burst gate. */
  const enter = (arrival: Arrival): Admitting => {
    const answer = askLimits(parts, arrival);
    const pause = answer.kind === "fits" ? rules.betweenCheckAndTake(arrival.work) : null;
    if (pause === null) return act(arrival, answer);
    return pause.over.then(() => {
      const gateAnswer = askGate(arrival);
      if (gateAnswer.kind === "closed") return meetCooldown(arrival, gateAnswer);
      return act(arrival, pause.stale === "rate" ? askCaps(parts, arrival, answer.check) : askRate(parts, arrival));
    });
  };

  const act = (arrival: Arrival, answer: Answer): Admission =>
    answer.kind === "refused" ? refuseArrival(parts, arrival, answer) : take(arrival, answer.check);

  /** Takes from every limit. */
  const take = (arrival: Arrival, check: RateCheck): Admission => {
    const { key, work } = arrival;
    const admittedAtMs = clock.wallMs();
    gate.take(key, work.endpoint, admittedAtMs);
    const rate = limiter.take(check, admittedAtMs);
    const spend = ledger.hold(key, purchaseOf(arrival), admittedAtMs);
    const born = generation;
    const ticket = createTicket(parts, arrival, { admittedAtMs, rate, spend }, () => born !== generation);
    noteArrival(parts, arrival, "admitted", ticket.rateHeaders());
    return { kind: "admitted", ticket };
  };

  return {
    admit: async (caller, work) => {
      const arrival = present({ key: caller, work, arrivedMs: clock.wallMs() });
      // The timer that ends a cooldown may be late: those who wait still go first.
      queue.drain(arrival.key.id);
      const answer: GateAnswer = rules.skipsGate(work) ? { kind: "open" } : askGate(arrival);
      if (answer.kind === "closed") return meetCooldown(arrival, answer);
      const pause = rules.afterGate();
      if (pause !== null) await pause;
      return enter(arrival);
    },
    voidLeases: () => {
      generation += 1;
    },
  };
}

/** A request that waits. */
interface Waiting {
  /** The present answer of the gate. */
  ask(): GateAnswer;
  /** Goes on when the gate is open. */
  enter(): Admission | Promise<Admission>;
  /** The queue is full. */
  refuse(): Admission;
}

function waitForCooldown(parts: AdmissionParts, arrival: Arrival, waiting: Waiting): Promise<Admission> {
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
