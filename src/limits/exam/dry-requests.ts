import { readOp } from "../history/history.ts";
import type { LimitOp, QuotaReading } from "../history/op.ts";
import type { ExamRequest } from "../probe/exam-request.ts";
import { markRequest } from "../probe/mark-request.ts";
import { requestOfProbe } from "../probe/request-of-probe.ts";
import type { DryClock } from "./dry-clock.ts";
import { type DryFacts, exchangeOf, roundTripMs } from "./dry-exchange.ts";
import type { DryAnswer, DryTarget } from "./dry-target.ts";

/**
 * Requests of the exam of request limits against the model of a target. A large limit takes tens of thousands that are alike: what they
 * have alike is read from one exchange, the rest from the answer, and none of them is kept.
 */
export class DryRequests {
  readonly #answer: DryTarget["answer"];
  readonly #clock: DryClock;
  readonly #alike = new Map<string, LimitOp>();
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
    const sentMs = this.#clock.nowMs();
    const wallMs = this.#clock.wallMs();
    // Marks cost the same, whichever it is.
    const request = markRequest(requestOfProbe(probe, probe.label ?? probe.phase), 0);
    const answers = Array.from({ length: count }, () => this.#answer(request, { nowMs: sentMs, wallMs }));
    this.#clock.advance(roundTripMs);
    const headersMs = this.#clock.nowMs();
    return answers.map((answer) => {
      this.#count += 1;
      return this.#read(answer, { seq: this.#count, request, sentMs, wallMs, headersMs, ...answer });
    });
  }

  #read({ status, headers }: DryAnswer, facts: DryFacts): LimitOp {
    const { seq, request, sentMs, wallMs, headersMs } = facts;
    const kind = `${request.credential.kind} ${request.endpoint} ${request.path} ${status} ${headers["retry-after"] ?? ""}`;
    const known = this.#alike.get(kind);
    const like = known ?? readOp(exchangeOf(facts));
    if (like === null) throw new Error("a request of an exam has no key");
    if (known === undefined) this.#alike.set(kind, like);
    const { intent, credential } = request;
    return {
      ...like,
      seq,
      key: "key" in credential ? credential.key : like.key,
      phase: intent.kind === "limit" ? intent.phase : like.phase,
      label: request.label,
      sentMs,
      headersMs,
      endMs: headersMs,
      requests: readingOf(like.requests, headers, "requests"),
      tokens: readingOf(like.tokens, headers, "tokens"),
      dateMs: Math.floor((wallMs + roundTripMs / 2) / 1000) * 1000,
      ownOffsetMs: Math.round(wallMs - sentMs),
    };
  }
}

function readingOf(like: QuotaReading, headers: DryAnswer["headers"], unit: "requests" | "tokens"): QuotaReading {
  return {
    ...like,
    limit: Number(headers[`x-ratelimit-limit-${unit}`]),
    remaining: Number(headers[`x-ratelimit-remaining-${unit}`]),
    resetMs: Number(headers[`x-ratelimit-reset-${unit}`]) * 1000,
  };
}
