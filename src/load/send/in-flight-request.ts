import type { Listed } from "../../core/member-list.ts";
import type { ChatMessage } from "../profile/workload-item.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { PlannedSend } from "../profile/planned-send.ts";
import type { LoadRecord, RecordContext } from "../samples/load-record.ts";
import type { LoadRequest } from "../workload/workload.ts";

/** The last attempt of one logical request. */
export interface LoadAnswer {
  readonly record: LoadRecord;
  readonly text: string;
  /** Messages that were sent, for the next turn of a conversation. */
  readonly messages: readonly ChatMessage[];
}

export interface IssuedRequest {
  readonly content: LoadRequest;
  readonly index: number;
  readonly planned: PlannedSend;
  readonly phase: LoadRecord["phase"];
  readonly intendedMs: number;
  readonly issuedMs: number;
  readonly slo: LoadProfile["slo"];
}

/** One logical request from its issue to its last attempt; the context of its records. */
export class InFlightRequest implements Listed, RecordContext {
  listPlace = -1;
  readonly content: LoadRequest;
  readonly index: number;
  readonly endpoint: RecordContext["endpoint"];
  readonly label: string;
  readonly phase: LoadRecord["phase"];
  readonly step: number;
  readonly session: number | null;
  readonly turn: number | null;
  readonly intendedMs: number;
  readonly slo: LoadProfile["slo"];
  /** Of the attempt under way, as all that follows. */
  issuedMs: number;
  attempt = 1;
  races = 0;
  isFormKnown = false;
  /** Sequence number of the first attempt. */
  retryOf: number | null = null;
  /** Its connection; null: one of its own. */
  connection: number | null = null;
  /** It left, and what came of it was not recorded yet. */
  unanswered = false;
  /** It counts as in flight: it left, and its answer has not ended. */
  flying = false;
  /** Called where its answer has ended and is plainly the last one, before anything of it was read. */
  onFree: (() => void) | null = null;
  /** Called when it is over. */
  onEnd: (() => void) | null = null;
  readonly #resolve: (answer: LoadAnswer) => void;
  readonly #reject: (error: unknown) => void;

  constructor(
    plan: IssuedRequest,
    resolve: (answer: LoadAnswer) => void = () => {},
    reject: (error: unknown) => void = () => {},
  ) {
    this.content = plan.content;
    this.index = plan.index;
    this.endpoint = plan.content.endpoint;
    this.label = plan.content.item.label;
    this.phase = plan.phase;
    this.step = plan.planned.step;
    this.turn = plan.planned.turn ?? null;
    this.session = this.turn === null ? null : plan.planned.session;
    this.intendedMs = plan.intendedMs;
    this.slo = plan.slo;
    this.issuedMs = plan.issuedMs;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  get askedPrompt(): number | null {
    return this.content.askedPrompt;
  }

  get askedOutput(): number | null {
    return this.content.askedOutput;
  }

  get leaves(): boolean {
    return this.content.leave !== null;
  }

  end(answer: LoadAnswer): void {
    this.#resolve(answer);
    this.onEnd?.();
  }

  /** For faults of ours only: whatever the target does is an answer. */
  fail(error: unknown): void {
    this.#reject(error);
    this.onEnd?.();
  }
}

/** Waits until all of these are over, at most `ms` of real time: a virtual clock must not run ahead of the answers. */
export async function endOrLate(requests: readonly InFlightRequest[], ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([endOf(requests), late]);
  clearTimeout(timer);
}

/** Resolves when all of these are over; what begins later is not waited for. */
async function endOf(requests: readonly InFlightRequest[]): Promise<void> {
  await Promise.all(
    requests.map(
      (request) =>
        new Promise<void>((resolve) => {
          const earlier = request.onEnd;
          request.onEnd = () => {
            earlier?.();
            resolve();
          };
        }),
    ),
  );
}
