import type { LimitOp } from "../../history/op.ts";
import type { ExamRequest } from "../../probe/exam-request.ts";
import type { ProbeTools } from "../../probe/probe-tools.ts";
import { afterWaitMs, serviceNow } from "../../probe/schedule-steps.ts";
import { shortestWait } from "../../history/shortest-wait.ts";
import { coarsestBatchMs } from "../../history/tolerances.ts";

/** After its burst: one visit that prolongs a window which each request prolongs, one when every other has ended. */
const visitsAt: readonly { readonly windows: number; readonly ms: number }[] = [
  { windows: 0.8, ms: 0 },
  { windows: 1.2, ms: 4000 },
];

/** Requests of the burst, at most; of a larger limit it uses a smaller part. */
const mostSent = 240;

/** Requests in the window before: so few that what a counter still weighs of them falls by one in more than two lone retries. */
const mostBefore = 5;
/**
 * Requests that are left when the burst has come near the end: for both visits, and for the last request of the burst where
 * remaining does not count it yet.
 */
const leftOver = 3;
/** A pause before a lone request, beside the time of two requests: no limiter that smooths bursts refuses one after it. */
const lonePauseMs = 3500;
const loneTries = 3;

export interface SideVisits {
  /** As the tools it was made of; visits that are due are sent while it sleeps. */
  readonly tools: ProbeTools;
  /** A few requests of the other key, in the window before the one that begins with its burst. */
  prepare(limit: number): Promise<void>;
  /** Uses three quarters of the other key's allowance, and where that counted exactly nearly all of it, if it has not begun before. */
  begin(): Promise<void>;
  /**
   * Instead of that, in the window in which the first key was refused with something left: the other key is silent for the whole of the
   * next window, then sends exactly the limit, and where the last of these is refused all the same, asks once more when whatever refills
   * has brought back two.
   */
  askAfterSilence(limit: number): Promise<void>;
  /** Waits for the visits that are left. */
  finish(): Promise<void>;
}

/** Windows after which the visits are over and one window has passed without any. */
const promiseAfter = 3;
/** The most additional requests that use up the number that comes back while single requests are sent. */
const mostSingles = 12;
/** Pause between them, so that none overlaps another. */
const apartMs = 20;

interface Visit {
  readonly atMs: number;
  readonly reason: string;
  send(): Promise<unknown>;
}

/**
 * Another key meanwhile, while the exam of the first one waits: three quarters of its allowance at once, none refused, then a
 * request now and then. A lawful limiter has given back by the end everything that it counted a window ago, however few
 * requests come in between.
 */
export function createSideVisits(tools: ProbeTools, probe: ExamRequest | null): SideVisits {
  return probe === null ? noVisits(tools) : new VisitsOfKey(tools, probe);
}

/** There is no other key. */
function noVisits(tools: ProbeTools): SideVisits {
  const nothing = (): Promise<void> => Promise.resolve();
  return { tools, prepare: nothing, begin: nothing, askAfterSilence: nothing, finish: nothing };
}

class VisitsOfKey implements SideVisits {
  readonly tools: ProbeTools;
  /** The tools that these are made of: no visits are sent while they sleep. */
  readonly #plain: ProbeTools;
  readonly #probe: ExamRequest;
  #due: readonly Visit[] = [];
  #begun = false;

  constructor(tools: ProbeTools, probe: ExamRequest) {
    this.#plain = tools;
    this.#probe = probe;
    this.tools = tools.sleepingBy(async (ms, reason) => {
      const untilMs = tools.clock.nowMs() + ms;
      await this.#visitUntil(untilMs);
      if (Number.isFinite(ms)) await tools.sleep(Math.min(ms, untilMs - tools.clock.nowMs()), reason);
      else await tools.sleep(ms, reason);
    });
  }

  async prepare(limit: number): Promise<void> {
    for (let count = Math.min(mostBefore, Math.floor(limit / 10)); count > 0; count -= 1) await this.#send();
  }

  async begin(): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    const { exam, clock, windowMs } = this.#plain;
    if (exam === "full") this.#due = [this.#firstPromise()];
    if (!(await this.#useThreeQuarters())) return;
    const doneMs = clock.nowMs();
    const visits = visitsAt.map(({ windows, ms }) => ({
      atMs: doneMs + windows * windowMs + ms,
      reason: "what another key used is given back",
      send: () => this.#send(),
    }));
    this.#due = [...visits, ...this.#due];
  }

  async askAfterSilence(limit: number): Promise<void> {
    if (this.#begun || limit > mostSent) return;
    const { windowMs } = this.#plain;
    const now = await this.#send();
    const leftMs = now.requests.resetMs === null ? 0 : now.requests.resetMs - serviceNow(this.#plain, now);
    if (now.outcome !== "admitted" || leftMs <= 0) return;
    this.#begun = true;
    // A label may name the end of the window after this one.
    const endMs = now.headersMs + (leftMs > windowMs + 2000 ? leftMs - windowMs : leftMs);
    const reason = "a whole silent window of another key";
    this.#due = [{ atMs: endMs + windowMs + 2600, reason, send: () => this.#askForWholeLimit(limit) }];
  }

  finish(): Promise<void> {
    return this.#visitUntil(Number.POSITIVE_INFINITY);
  }

  async #visitUntil(untilMs: number): Promise<void> {
    for (let next = this.#due[0]; next !== undefined && next.atMs <= untilMs; next = this.#due[0]) {
      this.#due = this.#due.slice(1);
      await this.#plain.sleep(next.atMs - this.#plain.clock.nowMs(), next.reason);
      await next.send();
    }
  }

  #send(): Promise<LimitOp> {
    return this.#plain.send(this.#probe);
  }

  /** Whether all of it was served, and what is given back later is known. */
  async #useThreeQuarters(): Promise<boolean> {
    const first = await this.#send();
    const { limit, remaining } = first.requests;
    if (first.outcome !== "admitted" || limit === null || remaining === null) return false;
    const wanted = Math.min(mostSent, Math.floor(0.75 * remaining) - 1);
    for (let sent = 0; sent < wanted; sent += 60) {
      const ops = await this.#plain.burst(this.#probe, Math.min(60, wanted - sent));
      // A refused request may have been counted: what is given back is then not known.
      if (ops.some(({ outcome }) => outcome !== "admitted")) return false;
    }
    return comesNearTheEnd(this.#plain, this.#probe, first, wanted + 1);
  }

  /** In a window of its own: one request too many and no more, then silence until the wait is over that this first refusal names. */
  #firstPromise(): Visit {
    const { clock, windowMs } = this.#plain;
    const send = async (): Promise<void> => {
      const alone = { ...this.#probe, policy: "requests", phase: "O" } as const;
      const refused = await refusedOnce(this.#plain, alone);
      const wait = refused === null ? null : shortestWait(refused.retry);
      if (refused === null || wait === null || wait.seconds * 1000 > 2 * windowMs) return;
      const atMs = refused.headersMs + wait.seconds * 1000 + afterWaitMs;
      this.#due = [{ atMs, reason: "the whole wait of a first refusal", send: () => this.#plain.send(alone) }];
    };
    return { atMs: clock.nowMs() + promiseAfter * windowMs, reason: "the first refusal of another key", send };
  }

  async #askForWholeLimit(limit: number): Promise<void> {
    const refused = await useWholeLimit(this.#plain, this.#probe, limit);
    if (refused === null) return;
    const atMs = refused.headersMs + refillsTwoMs(limit, this.#plain.windowMs) + afterWaitMs + 1500;
    this.#due = [{ atMs, reason: "refused as the last of the limit: once more, alone", send: () => this.#send() }];
  }
}

/**
 * Uses up the allowance, the last of it by single requests, up to the first refusal; null where several were refused at once,
 * or none. This alone finds a service that blocks a client for longer than its first refusal says, and states the true wait to
 * a client that comes back at once.
 */
async function refusedOnce(tools: ProbeTools, probe: ExamRequest): Promise<LimitOp | null> {
  let last = await tools.send(probe);
  const { limit, remaining } = last.requests;
  if (last.outcome !== "admitted" || limit === null || remaining === null || limit > mostSent) return null;
  for (let left = remaining - 1; left > 0; left -= 60) {
    const ops = await tools.burst(probe, Math.min(60, left));
    if (ops.some(({ outcome }) => outcome !== "admitted")) return null;
  }
  for (let count = 0; count < mostSingles && last.outcome === "admitted"; count += 1) {
    await tools.sleep(apartMs, "a request that comes alone");
    last = await tools.send(probe);
  }
  return last.outcome === "rejected" ? last : null;
}

/**
 * The time in which every limiter that refills, in batches of any length up to the coarsest, has brought back two requests
 * (`findStandingRefusal`), ms.
 */
function refillsTwoMs(limit: number, windowMs: number): number {
  const twoMs = (2.05 * windowMs) / limit;
  return Math.max(coarsestBatchMs, Math.min(2 * twoMs, twoMs + coarsestBatchMs));
}

/** Sends exactly as many as the limit, the last of them alone. That one, if it was refused. */
async function useWholeLimit(tools: ProbeTools, probe: ExamRequest, limit: number): Promise<LimitOp | null> {
  await tools.send(probe);
  for (let left = limit - 2; left > 0; left -= 60) await tools.burst(probe, Math.min(60, left));
  // So late that a window which began with the first request cannot be taken for one that ended then.
  await tools.sleep(lonePauseMs, "a request that comes alone");
  const last = await tools.send(probe);
  return last.outcome === "rejected" ? last : null;
}

/**
 * Uses what is left but three, where the burst lowered remaining by exactly what was sent. A limiter that refuses while more remains
 * counts something that its header does not show: it is asked again, alone. Whether nothing was refused.
 */
async function comesNearTheEnd(tools: ProbeTools, probe: ExamRequest, first: LimitOp, used: number): Promise<boolean> {
  const last = await tools.send(probe);
  const { limit, remaining } = last.requests;
  if (last.outcome !== "admitted") return false;
  if (limit === null || limit > mostSent || remaining !== first.requests.remaining! - used) return true;
  const ops = await tools.burst(probe, Math.max(0, remaining - leftOver));
  if (ops.every(({ outcome }) => outcome === "admitted")) return true;
  const pauseMs = Math.max(lonePauseMs, 1500 + (2 * tools.windowMs) / limit);
  for (let count = 0; count < loneTries; count += 1) {
    await tools.sleep(pauseMs, "refused although requests remain: a lone request after a pause");
    await tools.send(probe);
  }
  return false;
}
