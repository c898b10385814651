import type { Clock } from "../../core/clock.ts";
import { endpoints } from "../../core/exchange/endpoint.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { createAbsences } from "../../core/ends/absences.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { UnjudgedPart } from "../../core/result/limits-result.ts";
import type { OnProgress } from "../../core/progress.ts";
import type { Random } from "../../core/random.ts";
import type { Sender, SendRequest } from "../../core/exchange/send-request.ts";
import type { SettingsJournal } from "../../settings/settings-journal.ts";
import { readOp } from "../history/history.ts";
import type { LimitOp } from "../history/op.ts";
import { absenceOf, createReturnWaits, type ReturnWaits, type SpentAway } from "./await-return.ts";
import type { ExamRequest } from "./exam-request.ts";
import { createExamRequests } from "./exam-requests.ts";
import { type NotJudged, reasonOf } from "./not-judged.ts";
import { createOddEndRepeats, type OddEndRepeats, type SpentOnOddEnds } from "./repeat-odd-ends.ts";

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
  /** Absent: the algorithms that explain what was sent are searched for, and distinguished by further requests. */
  readonly identifies?: boolean;
}

/** Sends the probes of one policy, keeps every answer and reads it the way the judge will. */
export interface ProbeTools extends ProbeOptions {
  readonly windowMs: number;
  send(probe: ExamRequest): Promise<LimitOp>;
  burst(probe: ExamRequest, count: number): Promise<readonly LimitOp[]>;
  /** A request without a key: spends no quota, and its Date narrows the clock offset. */
  tick(): Promise<Exchange>;
  sendExchange(request: SendRequest): Promise<Exchange>;
  /** Sends all at once; an end that nobody stated is asked for once more, as `sendExchange` does. */
  sendAtOnce(requests: readonly SendRequest[]): Promise<void>;
  /** Keeps an exchange that was sent without these tools. */
  keep(exchange: Exchange): void;
  sleep(ms: number, reason: string): Promise<void>;
  /** The same tools, which do this whenever their schedule sleeps. */
  sleepingBy(sleep: ProbeTools["sleep"]): ProbeTools;
  /** Marks the begin of a phase for the progress lines. */
  enter(phase: string): void;
  /** Every exchange that was sent so far. */
  readonly sent: readonly Exchange[];
  /** Records a part that turned out to be out of reach: reported at once, and listed in the result. */
  notJudged(what: NotJudged): void;
  readonly unreached: readonly NotJudged[];
  /** Records that a part was asked although the plan left it out. */
  asked(part: UnjudgedPart): void;
  readonly askedAfterAll: ReadonlySet<UnjudgedPart>;
  /** Until nothing more is sent, ms; Infinity where waits cost no time. */
  msLeft(): number;
}

/** The limits that a target states never decide how many requests are built: a larger number at once shows nothing more. */
export const mostAtOnce = 2000;

/** The requests that one exam has sent so far, whichever of its tools sent them. */
interface ExamState {
  readonly startedMs: number;
  readonly sent: Exchange[];
  readonly unreached: NotJudged[];
  readonly askedAfterAll: Set<UnjudgedPart>;
  readonly requestOf: (probe: ExamRequest) => SendRequest;
  entered: number;
  readonly oddEnds: SpentOnOddEnds;
  readonly away: SpentAway;
}

interface ExamBounds {
  readonly windowMs: number;
  readonly phases: number;
  /** Nothing is sent after this time; null: there is no such bound. */
  readonly longestMinutes: number | null;
}

/** The tools of one exam over one sender. */
class ExamTools implements ProbeTools {
  readonly manifest: Manifest;
  readonly sender: Sender;
  readonly clock: Clock;
  readonly random: Random;
  readonly exam: ExamDepth;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
  readonly journal: SettingsJournal;
  readonly identifies: boolean;
  readonly windowMs: number;
  readonly #bounds: ExamBounds;
  readonly #state: ExamState;
  /** Takes the place of waiting where a schedule sleeps; null: nothing does. */
  readonly #meanwhile: ProbeTools["sleep"] | null;
  readonly #returns: ReturnWaits;
  readonly #oddEnds: OddEndRepeats;

  constructor(options: ProbeOptions, bounds: ExamBounds, state: ExamState, meanwhile: ProbeTools["sleep"] | null = null) {
    this.manifest = options.manifest;
    this.sender = options.sender;
    this.clock = options.clock;
    this.random = options.random;
    this.exam = options.exam;
    this.identifies = options.identifies ?? true;
    this.onProgress = options.onProgress;
    this.signal = options.signal;
    this.journal = options.journal;
    this.windowMs = bounds.windowMs;
    this.#bounds = bounds;
    this.#state = state;
    this.#meanwhile = meanwhile;
    this.#returns = createReturnWaits({
      clock: options.clock,
      sendTick: (again) => this.#sendTick(again),
      wait: (ms, reason) => this.#wait(ms, reason),
      spent: state.away,
    });
    this.#oddEnds = createOddEndRepeats({
      windowMs: bounds.windowMs,
      returns: this.#returns,
      send: (again) => this.#sendKept(again),
      wait: (ms, reason) => this.#wait(ms, reason),
      spent: state.oddEnds,
    });
  }

  get sent(): readonly Exchange[] {
    return this.#state.sent;
  }

  get unreached(): readonly NotJudged[] {
    return this.#state.unreached;
  }

  get askedAfterAll(): ReadonlySet<UnjudgedPart> {
    return this.#state.askedAfterAll;
  }

  sleepingBy(sleep: ProbeTools["sleep"]): ProbeTools {
    return new ExamTools(this, this.#bounds, this.#state, sleep);
  }

  async send(probe: ExamRequest): Promise<LimitOp> {
    this.#throwIfOver();
    return read(await this.#sendConfirmed(this.#state.requestOf(probe), probe.timedByInstant));
  }

  async burst(probe: ExamRequest, count: number): Promise<readonly LimitOp[]> {
    this.#throwIfOver();
    const requests = Array.from({ length: Math.min(count, mostAtOnce) }, () => this.#state.requestOf(probe));
    const exchanges = await this.sender.burst(requests);
    // All are kept before one of them may end the schedule.
    for (const exchange of exchanges) this.keep(exchange);
    if (exchanges.some((exchange) => absenceOf(exchange) > 0)) await this.#returns.askWithoutKey(probe.timedByInstant !== true);
    return exchanges.map(read);
  }

  async tick(): Promise<Exchange> {
    this.#throwIfOver();
    return this.#sendTick({});
  }

  async #sendTick(again: Pick<SendRequest, "attempt" | "retryOf">): Promise<Exchange> {
    return this.#sendKept({
      ...again,
      stage: "limits",
      caseId: "limits/clock",
      label: "tick",
      intent: { kind: "housekeeping", purpose: "narrow the clock offset", answers: [401] },
      endpoint: "models",
      method: "GET",
      path: endpoints.models.path,
      credential: { kind: "none" },
      signal: this.signal,
    });
  }

  async sendExchange(request: SendRequest): Promise<Exchange> {
    this.#throwIfOver();
    return this.#sendConfirmed(request);
  }

  async sendAtOnce(requests: readonly SendRequest[]): Promise<void> {
    this.#throwIfOver();
    const exchanges = await this.sender.burst(requests);
    for (const exchange of exchanges) this.keep(exchange);
    for (const [index, exchange] of exchanges.entries()) await this.#oddEnds.repeat(requests[index]!, exchange, false);
  }

  keep(exchange: Exchange): void {
    this.#state.sent.push(exchange);
    this.onProgress({ kind: "answered", stage: "limits", status: exchange.response?.status ?? null, ttftMs: null });
  }

  async sleep(ms: number, reason: string): Promise<void> {
    return this.#meanwhile === null ? this.#wait(ms, reason) : this.#meanwhile(ms, reason);
  }

  enter(phase: string): void {
    this.#throwIfOver();
    const { phases } = this.#bounds;
    const done = Math.min((this.#state.entered += 1), phases);
    this.onProgress({ kind: "advanced", stage: "limits", done, total: phases, current: phase });
  }

  notJudged(what: NotJudged): void {
    this.#state.unreached.push(what);
    this.onProgress({ kind: "note", text: `not judged: ${what.policy} (${reasonOf(what)})` });
  }

  asked(part: UnjudgedPart): void {
    this.#state.askedAfterAll.add(part);
  }

  msLeft(): number {
    const { longestMinutes } = this.#bounds;
    if (longestMinutes !== null) return longestMinutes * 60_000 - (this.clock.nowMs() - this.#state.startedMs);
    // A plan has no bound of its own, and waits for nothing that it does not know of.
    return this.manifest.control === null ? 0 : Number.POSITIVE_INFINITY;
  }

  #throwIfOver(): void {
    this.signal.throwIfAborted();
    const { longestMinutes } = this.#bounds;
    if (longestMinutes === null || this.clock.nowMs() - this.#state.startedMs <= longestMinutes * 60_000) return;
    throw new ProbeNotSentError(`the target made the exam take ${longestMinutes} min, the most that its plan allows for`);
  }

  async #wait(ms: number, reason: string): Promise<void> {
    this.#throwIfOver();
    if (ms <= 0) return;
    // A virtual clock jumps: nobody has to wait for it.
    if (ms > 1500 && this.manifest.control === null) this.onProgress({ kind: "waiting", stage: "limits", reason, ms });
    // A wait that counts from an answer that never came has no end: a window is waited for instead.
    await this.clock.sleep(Number.isFinite(ms) ? ms : this.windowMs, this.signal);
  }

  async #sendKept(request: SendRequest): Promise<Exchange> {
    const exchange = await this.sender.send(request);
    this.keep(exchange);
    return exchange;
  }

  async #sendConfirmed(request: SendRequest, timedByInstant = false): Promise<Exchange> {
    const first = await this.#sendKept(request);
    return this.#oddEnds.repeat(request, first, timedByInstant);
  }
}

export function createProbeTools(options: ProbeOptions, bounds: ExamBounds): ProbeTools {
  const startedMs = options.clock.nowMs();
  return new ExamTools(options, bounds, {
    startedMs,
    sent: [],
    unreached: [],
    askedAfterAll: new Set(),
    requestOf: createExamRequests(options),
    entered: 0,
    oddEnds: { waits: 0 },
    away: { absences: createAbsences(), waitedMs: 0 },
  });
}

function read(exchange: Exchange): LimitOp {
  const op = readOp(exchange);
  if (op === null) throw new ProbeNotSentError(exchange.failure?.message ?? "the request was not sent");
  return op;
}

/** The target cannot be reached, a budget is spent or the time of the plan is over: the schedule ends, what was recorded stays. */
export class ProbeNotSentError extends Error {}
