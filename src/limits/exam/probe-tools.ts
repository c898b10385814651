import type { Clock } from "../../core/clock.ts";
import { endpoints, type EndpointId } from "../../core/exchange/endpoint.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import { isNotTheService } from "../../core/ends/is-not-the-service.ts";
import type { LimitPurpose } from "../../core/exchange/limit-phase.ts";
import { isStated, statedAnswers } from "../../core/ends/stated-answers.ts";
import type { LimitsResult } from "../../core/result/limits-result.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { OnProgress } from "../../core/progress.ts";
import type { Random } from "../../core/random.ts";
import type { SendBody, Sender, SendRequest } from "../../core/exchange/send-request.ts";
import type { SettingsJournal } from "../../settings/settings-journal.ts";
import { readOp } from "../history/history.ts";
import type { LimitOp } from "../history/op.ts";
import { readRetry } from "../history/read-retry.ts";

export type ExamDepth = "short" | "full";

export interface ProbeOptions {
  readonly manifest: Manifest;
  readonly sender: Sender;
  readonly clock: Clock;
  readonly random: Random;
  readonly exam: ExamDepth;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
  readonly journal: SettingsJournal;
}

/** One request of a schedule; everything that is not said is the cheapest way to be counted. */
export type Probe = ProbeRequest & LimitPurpose;

interface ProbeRequest {
  readonly key: string;
  readonly endpoint: EndpointId;
  readonly label?: string;
  readonly path?: string;
  readonly body?: SendBody;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /**
   * Its instant decides what comes of it, as in a cooldown: an odd end is asked for again at once, since after a wait the request would
   * be sent in another state, and one that was not answered in its time may have waited in a queue.
   */
  readonly timedByInstant?: true;
}

/** Sends the probes of one policy, keeps every answer and reads it the way the judge will. */
export interface ProbeTools extends ProbeOptions {
  readonly windowMs: number;
  send(probe: Probe): Promise<LimitOp>;
  burst(probe: Probe, count: number): Promise<readonly LimitOp[]>;
  /** A request without a key: spends no quota, and its Date narrows the clock offset. */
  tick(): Promise<Exchange>;
  sendExchange(request: SendRequest): Promise<Exchange>;
  /** Keeps an exchange that was sent without these tools. */
  keep(exchange: Exchange): void;
  sleep(ms: number, reason: string): Promise<void>;
  /** Marks the begin of a phase for whoever watches. */
  enter(phase: string): void;
  /** Every exchange that was sent so far. */
  readonly sent: readonly Exchange[];
  /** What turned out to be out of reach: reported at once, and listed in the result. */
  notJudged(what: LimitsResult["notJudged"][number]): void;
  readonly unreached: LimitsResult["notJudged"];
}

/** So many odd ends are repeated after the wait that they ask for, of a window each at most; later ones at once. */
const waitsAtMost = 4;

/** What a target says of its limits never decides how many requests are built: more at once say nothing more. */
const mostAtOnce = 2000;

/** `longestMinutes`: after which nothing is sent any more; null: there is no such bound. */
export function createProbeTools(
  options: ProbeOptions,
  windowMs: number,
  phases: number,
  longestMinutes: number | null = null,
): ProbeTools {
  const startedMs = options.clock.nowMs();
  const throwIfOver = (): void => {
    options.signal.throwIfAborted();
    if (longestMinutes === null || options.clock.nowMs() - startedMs <= longestMinutes * 60_000) return;
    throw new ProbeNotSentError(`the target made the exam take ${longestMinutes} min, the most that its plan allows for`);
  };
  const sent: Exchange[] = [];
  const unreached: LimitsResult["notJudged"][number][] = [];
  let counter = 0;
  let entered = 0;
  const keep = (exchange: Exchange): Exchange => {
    sent.push(exchange);
    options.onProgress({ kind: "answered", stage: "limits", status: exchange.response?.status ?? null, ttftMs: null });
    return exchange;
  };
  const requestOf = (probe: Probe): SendRequest => {
    counter += 1;
    const { method, path } = endpoints[probe.endpoint];
    return {
      stage: "limits",
      caseId: `limits/${probe.policy}`,
      label: probe.label ?? `${probe.phase}-${counter}`,
      intent: { kind: "limit", ...purposeOf(probe) },
      endpoint: probe.endpoint,
      method,
      path: probe.path ?? path,
      credential: { kind: "bearer", key: probe.key },
      signal: options.signal,
      ...(probe.body ? { body: probe.body } : {}),
      ...(probe.headers ? { headers: probe.headers } : {}),
      ...(probe.timeoutMs ? { timeoutMs: probe.timeoutMs, totalTimeoutMs: probe.timeoutMs } : {}),
    };
  };
  const sleep = async (ms: number, reason: string): Promise<void> => {
    throwIfOver();
    if (ms <= 0) return;
    // A virtual clock jumps: nobody has to wait for it.
    const words = options.manifest.control === null ? reason : `${reason} (virtual time)`;
    if (ms > 1500) options.onProgress({ kind: "waiting", stage: "limits", reason: words, ms });
    // A wait that counts from an answer that never came has no end: a window is waited for instead.
    await options.clock.sleep(Number.isFinite(ms) ? ms : windowMs, options.signal);
  };
  let waits = 0;
  /** An end that nobody stated is asked for once more, so that it is known whether it repeats: after the wait that it asks for. */
  const sendConfirmed = async (request: SendRequest, timedByInstant = false): Promise<Exchange> => {
    const first = keep(await options.sender.send(request));
    if (!isToConfirm(first, timedByInstant)) return first;
    const askedMs = (readRetry(factsOf(first)).seconds ?? 0) * 1000;
    if (askedMs > 0 && !timedByInstant && waits < waitsAtMost) {
      waits += 1;
      await sleep(Math.min(askedMs, windowMs), `answered ${first.response?.status}, which is odd: the wait that it asks for`);
    }
    return keep(await options.sender.send({ ...request, attempt: first.attempt + 1, retryOf: first.seq }));
  };
  const read = (exchange: Exchange): LimitOp => {
    const op = readOp(exchange);
    if (op === null) throw new ProbeNotSentError(exchange.failure?.message ?? "the request was not sent");
    return op;
  };
  return {
    ...options,
    windowMs,
    sent,
    unreached,
    notJudged: (what) => {
      unreached.push(what);
      options.onProgress({ kind: "note", text: `not judged: ${what.policy} (${what.reason})` });
    },
    send: async (probe) => {
      throwIfOver();
      return read(await sendConfirmed(requestOf(probe), probe.timedByInstant));
    },
    burst: async (probe, count) => {
      throwIfOver();
      const exchanges = await options.sender.burst(Array.from({ length: Math.min(count, mostAtOnce) }, () => requestOf(probe)));
      // All are kept before one of them may end the schedule.
      return exchanges.map(keep).map(read);
    },
    tick: async () => {
      throwIfOver();
      return keep(
        await options.sender.send({
          stage: "limits",
          caseId: "limits/clock",
          label: "tick",
          intent: { kind: "housekeeping", purpose: "narrow the clock offset", answers: [401] },
          endpoint: "models",
          method: "GET",
          path: endpoints.models.path,
          credential: { kind: "none" },
          signal: options.signal,
        }),
      );
    },
    keep,
    sendExchange: async (request) => {
      throwIfOver();
      return sendConfirmed(request);
    },
    sleep,
    enter: (phase) => {
      throwIfOver();
      entered += 1;
      options.onProgress({
        kind: "advanced",
        stage: "limits",
        done: Math.min(entered, phases),
        total: phases,
        current: phase,
      });
    },
  };
}

/** Policy and phase of one kind, which the types of a spread request keep together. */
function purposeOf({ policy, phase }: Probe): LimitPurpose {
  return { policy, phase } as LimitPurpose;
}

/** The target cannot be reached, a budget is spent or the time of the plan is over: the schedule ends, what was recorded stays. */
export class ProbeNotSentError extends Error {}

function isToConfirm(exchange: Exchange, timedByInstant: boolean): boolean {
  const stated = isNotTheService(exchange) ? null : statedAnswers(factsOf(exchange));
  if (stated === null || isStated(factsOf(exchange), stated.answers)) return false;
  return !(timedByInstant && exchange.failure?.kind === "timeout");
}
