import type { SendRequest } from "../../core/exchange/send-request.ts";
import { readOp } from "../history/history.ts";
import type { LimitOp, QuotaReading } from "../history/op.ts";
import type { ExamRequest } from "../probe/exam-request.ts";
import { markRequest } from "../probe/mark-request.ts";
import { requestOfProbe } from "../probe/request-of-probe.ts";
import type { DryClock } from "./dry-clock.ts";
import { exchangeOf, roundTripMs } from "./dry-exchange.ts";
import type { DryAnswer, DryTarget } from "./dry-target.ts";

/** The latest request, which is sent again as long as nothing about it changes. */
interface Repeated {
  readonly probe: ExamRequest;
  readonly request: SendRequest;
  /** One answer of each kind as it is read from an exchange. */
  readonly alike: Map<number, LimitOp>;
}

/** The instants that requests of one burst share. */
interface SentAt {
  readonly sentMs: number;
  readonly wallMs: number;
  readonly headersMs: number;
}

/**
 * Requests of the exam of request limits against the model of a target. A large limit takes tens of thousands that are alike: what they
 * have alike is read from one exchange, the rest from the answer, and none of them is kept.
 */
export class DryRequests {
  readonly #answer: DryTarget["answer"];
  readonly #clock: DryClock;
  #latest: Repeated | null = null;
  #count = 0;

  constructor(answer: DryTarget["answer"], clock: DryClock) {
    this.#answer = answer;
    this.#clock = clock;
  }

  get count(): number {
    return this.#count;
  }

  /** So many at once. */
  send(probe: ExamRequest, count: number): readonly LimitOp[] {
    const latest = this.#latest;
    const repeated = latest !== null && isSame(latest.probe, probe) ? latest : repeat(probe);
    this.#latest = repeated;
    const time = { nowMs: this.#clock.nowMs(), wallMs: this.#clock.wallMs() };
    const answers: DryAnswer[] = [];
    for (let index = 0; index < count; index += 1) answers.push(this.#answer(repeated.request, time));
    this.#clock.advance(roundTripMs);
    const at = { sentMs: time.nowMs, wallMs: time.wallMs, headersMs: this.#clock.nowMs() };
    return answers.map((answer) => this.#read(answer, repeated, at));
  }

  #read(answer: DryAnswer, { request, alike }: Repeated, { sentMs, wallMs, headersMs }: SentAt): LimitOp {
    this.#count += 1;
    const seq = this.#count;
    const { status, limits, retryAfterSeconds } = answer;
    // Statuses have three digits.
    const kind = status + 1000 * ((retryAfterSeconds ?? -1) + 1);
    const known = alike.get(kind);
    const like = known ?? readOp(exchangeOf({ seq, request, answer, sentMs, wallMs, headersMs }));
    if (like === null) throw new Error("a request of an exam has no key");
    if (known === undefined) alike.set(kind, like);
    return {
      ...like,
      seq,
      sentMs,
      headersMs,
      endMs: headersMs,
      requests: limits === null ? like.requests : readingOf(limits.requests, limits.requestsLeft, limits.reset, like.requests),
      tokens: limits === null ? like.tokens : readingOf(limits.tokens, limits.tokensLeft, limits.reset, like.tokens),
      dateMs: Math.floor((wallMs + roundTripMs / 2) / 1000) * 1000,
      ownOffsetMs: Math.round(wallMs - sentMs),
    };
  }
}

function readingOf(limit: number, remaining: number, reset: number, { resetFormat }: QuotaReading): QuotaReading {
  return { limit, remaining, resetMs: reset * 1000, resetFormat };
}

function repeat(probe: ExamRequest): Repeated {
  // Marks cost the same, whichever it is.
  const request = markRequest(requestOfProbe(probe, probe.label ?? probe.phase), 0);
  return { probe, request, alike: new Map() };
}

/** Whether two requests have the same members, the order in which they were written included. */
function isSame(one: ExamRequest, other: ExamRequest): boolean {
  if (one === other) return true;
  const members = Object.entries(one);
  const others = Object.entries(other);
  return (
    members.length === others.length &&
    members.every(([name, value], index) => others[index]![0] === name && others[index]![1] === value)
  );
}
