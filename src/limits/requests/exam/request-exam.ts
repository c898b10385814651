import type { LimitPhases } from "../../../core/exchange/limit-phase.ts";
import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import { cheapBody } from "../../probe/cheap-request.ts";
import { supposedRequests, whyUnplanned, whyUnreachable } from "../../probe/reach.ts";
import type { LimitOp } from "../../history/op.ts";
import { shortestWait } from "../../history/shortest-wait.ts";
import { otherClients } from "./other-clients.ts";
import { narrowClock, type OffsetEstimate } from "./clock-offset.ts";
import { descendAgain } from "./descents.ts";
import { contestLastSlots, runLongPhases } from "./long-phases.ts";
import type { ExamStages } from "../../probe/exam-stages.ts";
import type { ExamRequest } from "../../probe/exam-request.ts";
import type { ProbeTools } from "../../probe/probe-tools.ts";
import { useAfterSilence } from "./after-silence.ts";
import { useFirstWindow } from "./first-window.ts";
import { isTimeFree } from "./is-time-free.ts";
import { leaveOut } from "./leave-out.ts";
import { createSideVisits, type SideVisits } from "./side-visits.ts";
import { approachLast, drainSlowly, loneRetry, retryAtOnce } from "./drain-steps.ts";
import { returnInSilence, returnWithVisits } from "./return-steps.ts";
import { afterWaitMs, drain, mostInstances, mostRequests, waitForWindow } from "../../probe/schedule-steps.ts";

export interface RequestExamSubject {
  readonly key: string;
  readonly endpoint: EndpointId;
  /** Another key, where the manifest has one, and another endpoint: they must not notice. */
  readonly otherKey: string | null;
  readonly otherEndpoint: { readonly endpoint: EndpointId; readonly path: string };
  readonly exhaust: boolean;
  readonly stages: ExamStages;
}

type Phase = LimitPhases["requests"];

/** Simultaneous requests at most: as many connections as a service may be asked to hold. */
const mostRacers = 300;

/** Spellings of a drained path that a correct limiter counts as the same endpoint, or that do not exist. */
const spellings = ["/v1/models?page=1", "/v1/models/", "//v1/models", "/v1/./models", "/V1/models", "/v1/models%20"];

/**
 * The adaptive request schedule: A to C, and D to H and Q with permission to exhaust the limit. The full exam adds I to N and S, and P
 * on a virtual clock, where the short one has N as well, and both begin with T. `limitPhases` says what each is for.
 */
export async function runRequestExam(alone: ProbeTools, subject: RequestExamSubject): Promise<void> {
  const { otherKey, exhaust, stages } = subject;
  const visits = otherKey !== null && exhaust && stages.has("requests.other-key");
  const side = createSideVisits(alone, visits ? { ...cheapest(alone, subject), phase: "R", key: otherKey } : null);
  const silent = await runAlongside(side, subject);
  await side.finish();
  if (silent === null) return;
  await useAfterSilence(alone, { policy: "requests", phase: "Q", key: subject.key, ...subject.otherEndpoint }, silent);
}

/** The last visit of the other endpoint, which is silent since then; null where the limit is not used up. */
async function runAlongside(side: SideVisits, subject: RequestExamSubject): Promise<LimitOp | null> {
  const { tools } = side;
  const base = { ...cheapest(tools, subject), key: subject.key };
  const ways: Ways = {
    side,
    subject,
    tools,
    probe: (phase) => ({ ...base, phase }),
    one: (phase) => tools.send({ ...base, phase }),
  };
  const course: Course = { ...ways, ...(await lookQuietly(ways)) };
  await visitOthers(course, "A");
  await side.prepare(course.limit);
  await raceAndRest(course);
  const { exhaust, stages } = subject;
  if (!exhaust || !stages.has("requests.drain")) return null;
  const reason = whyUnreachable(course.limit, tools.manifest) ?? whyUnplanned(course.limit, subject, tools.manifest);
  if (reason !== null) return leaveOut(tools, `requests, ${subject.endpoint}`, reason);

  const drained = await useUp(course);
  if (drained === null) return null;
  const retried = await retryDrained(course, drained);
  const visited = stages.has("requests.visits")
    ? await visitDrained(course, retried)
    : { rejected: retried.rejected, silent: null };
  const { rejected, silent } = visited;
  if (!stages.has("requests.return")) return null;
  const waitSeconds = rejected.retry?.seconds ?? 0;
  if (waitSeconds > longestWaitSeconds(tools)) {
    const text = `#${rejected.seq} says to wait ${waitSeconds} s, longer than this exam waits (${longestWaitSeconds(tools)} s)`;
    return leaveOut(tools, `return after the stated wait, ${subject.endpoint}`, text);
  }
  await returnWhole(course, { rejected, drainedMs: drained.drainedMs });
  if (stages.has("requests.again")) await drainAgain(course, retried.returnsAtOnce);
  const full = tools.exam === "full";
  if (stages.has("requests.contest") && isTimeFree(tools)) await contestLastSlots(tools, course.probe("N"), course.limit);
  if (full && stages.has("requests.long")) await runLongPhases(tools, course.probe, course.limit);
  return stages.has("requests.unlike-windows") ? silent : null;
}

/** The cheapest request to the endpoint that is examined, whichever key sends it. */
function cheapest({ manifest }: ProbeTools, { endpoint }: RequestExamSubject): Cheapest {
  const body = cheapBody(endpoint, manifest);
  return { policy: "requests", endpoint, ...(body === null ? {} : { body }) };
}

type Cheapest = Pick<ExamRequest, "endpoint" | "body"> & { readonly policy: "requests" };

/** How the exam sends, the same in all of its phases. */
interface Ways {
  readonly side: SideVisits;
  readonly subject: RequestExamSubject;
  readonly tools: ProbeTools;
  readonly probe: (phase: Phase) => ExamRequest;
  readonly one: (phase: Phase) => Promise<LimitOp>;
}

/** The findings of the quiet requests. */
interface Seen {
  readonly limit: number;
  /** Requests that the limit allows on average. */
  readonly perSecond: number;
  readonly offset: OffsetEstimate | null;
  /** The most that remained. */
  readonly fullest: number;
}

interface Course extends Ways, Seen {}

interface Drained {
  /** The latest refusal. */
  readonly rejected: LimitOp;
  readonly drainedMs: number;
}

interface Retried {
  readonly rejected: LimitOp;
  /** It refills so fast that it lets in again as soon as it has refused. */
  readonly returnsAtOnce: boolean;
}

async function lookQuietly({ tools, subject, probe, one }: Ways): Promise<Seen> {
  tools.enter("A: quiet requests");
  for (const key of ["primary", "starter"]) {
    if (tools.manifest.keys[key] && key !== subject.key) await tools.send({ ...probe("plan"), key });
  }
  if (tools.manifest.control !== null) {
    // Time is free on a virtual clock: two windows of silence leave nothing unknown behind.
    await useFirstWindow(tools, probe("T"), subject.exhaust && subject.stages.has("requests.unlike-windows"));
  }
  const first = await one("A");
  let last = await waitForWindow(tools, first, probe("A"));
  for (let count = 0; count < 2; count += 1) last = await one("A");
  const limit = last.requests.limit ?? tools.manifest.limits.requestsPerMinute ?? supposedRequests;
  const perSecond = (limit / tools.windowMs) * 1000;
  // A quiet pause, which also shows whether others use the key.
  const offset = await narrowClock(tools, 5);
  const quiet = last;
  last = await one("A");
  // An allowance that refills is whole again after as many refills as are missing.
  const wholeMs = ((limit + 2 - (last.requests.remaining ?? 0)) * 1000) / perSecond;
  if (first.requests.remaining === limit && wholeMs <= tools.windowMs / 6) {
    await tools.sleep(wholeMs + afterWaitMs, "whether the whole limit is shown again");
    last = await one("A");
  }
  const fell = (quiet.requests.remaining ?? 0) - (last.requests.remaining ?? 0);
  if (fell > 2)
    tools.onProgress({ kind: "note", text: `others seem to use key ${subject.key}: remaining fell by ${fell} in a pause` });
  const fullest = Math.max(first.requests.remaining ?? 0, last.requests.remaining ?? 0);
  return { limit, perSecond, offset, fullest };
}

/** Simultaneous requests of the phases B and H. */
function countRacers({ limit, perSecond }: Seen): number {
  return Math.max(2, Math.min(Math.ceil(24 + 3 * perSecond), Math.floor(limit / 3), mostRacers));
}

async function raceAndRest(course: Course): Promise<void> {
  const { tools, probe, one, perSecond } = course;
  tools.enter("B: simultaneous requests");
  const racers = countRacers(course);
  await tools.burst(probe("B"), racers);
  await one("B");

  tools.enter("C: pause");
  const restMs = Math.min(9000, tools.windowMs / 8, ((racers + perSecond) / perSecond) * 1000);
  // One or two refills: how much comes back at once.
  const briefMs = Math.min(1500 / perSecond, restMs / 2);
  await tools.sleep(briefMs, "a pause shows how the allowance refills");
  await one("C");
  await tools.sleep(restMs - briefMs, "a pause shows whether the allowance refills");
  await one("C");
}

/** null: nothing was refused. */
async function useUp({ tools, probe, limit, perSecond }: Course): Promise<Drained | null> {
  tools.enter("D: drain");
  const sent = await approachLast(tools, probe("D"), perSecond, Math.min(mostInstances * limit, mostRequests));
  let rejected = await drain(tools, probe("D"), { limit, most: mostRequests - sent });
  if (rejected === null) return null;
  if ((rejected.requests.remaining ?? 0) > 0) rejected = await drainSlowly(tools, probe("D"), rejected, limit);
  const drainedMs = tools.clock.nowMs();
  return { rejected: await loneRetry(tools, rejected, probe("D"), perSecond), drainedMs };
}

async function retryDrained(course: Course, { rejected: refused, drainedMs }: Drained): Promise<Retried> {
  const { side, tools, probe, limit, perSecond, fullest } = course;
  tools.enter("E: immediate retry");
  const rejected = await retryAtOnce(tools, refused, probe("E"), perSecond);
  // A bucket that holds less than half is full again long before the visits of the other key are over: that is time to use.
  const untilMs = fullest < limit / 2 ? drainedMs + 1.1 * tools.windowMs : 0;
  const returnsAtOnce = (shortestWait(rejected.retry)?.seconds ?? Number.POSITIVE_INFINITY) <= Math.max(1, 2 / perSecond);
  if (!returnsAtOnce) return { rejected, returnsAtOnce };
  // An allowance that refills has no window that must begin first.
  await side.begin();
  return { rejected: await descendAgain(tools, probe("E"), { limit, untilMs, latest: rejected }), returnsAtOnce };
}

/** The latest refusal, alone after the visits, and the visit of the other endpoint. */
async function visitDrained(
  course: Course,
  { rejected: refused, returnsAtOnce }: Retried,
): Promise<{ readonly rejected: LimitOp; readonly silent: LimitOp }> {
  const { side, tools, subject, probe, one, limit } = course;
  tools.enter("F: other key, other endpoint, other spellings, other clients");
  const silent = await visitOthers(course, "F");
  // Requests that came back meanwhile are used up first.
  for (let count = 0; count < 3 && (await one("F")).outcome === "admitted"; count += 1);
  for (const path of subject.endpoint === "models" ? spellings : []) await tryDisguise(course, { ...probe("F-spelling"), path });
  for (const claims of otherClients) await tryDisguise(course, { ...probe("F-identity"), ...claims });
  // No other request may overlap this reading, clocks of several instances included.
  await tools.sleep(afterWaitMs + 50, "a quiet reading");
  const last = await one("F");
  const rejected = last.outcome === "rejected" ? last : refused;
  // One less than stated, or a fraction that is rounded up: a window after a silent one decides it, and another key has the time.
  if ((rejected.requests.remaining ?? 0) > 0 && !returnsAtOnce) await side.askAfterSilence(limit);
  return { rejected, silent };
}

/** Sends a request that a limiter may count elsewhere. One admission may be a refill: sent again, more often than any refill grants. */
async function tryDisguise({ tools, one, perSecond }: Course, disguised: ExamRequest): Promise<void> {
  if ((await tools.send(disguised)).outcome !== "admitted") return;
  await tools.burst(disguised, 4 + Math.ceil(2 * perSecond));
  // Sent at once, before a refill lets it in.
  await one("F");
}

async function returnWhole(
  { side, tools, one, limit, perSecond, fullest }: Course,
  { rejected, drainedMs }: Drained,
): Promise<void> {
  tools.enter("G: the whole stated wait in silence");
  const returned = await returnInSilence(tools, rejected, () => one("G"));
  // Here a window begins, if there are windows.
  await side.begin();
  // A limiter that slides or refills has given back only a part: a window after the drain all of it is back but for the part
  // that a counter weighs.
  if (returned.outcome !== "admitted" || (returned.requests.remaining ?? limit) >= 0.9 * limit) return;
  const wholeMs = drainedMs + tools.windowMs + 1500 - tools.clock.nowMs();
  const missing = Math.max(0, fullest - (returned.requests.remaining ?? 0));
  // Half of what is missing is waited for, and half way at most: an allowance that refills too fast is whole by then.
  await tools.sleep(Math.min((missing * 500) / perSecond, wholeMs / 2), "half of what is missing comes back at the average rate");
  await one("G");
  await tools.sleep(drainedMs + tools.windowMs + 1500 - tools.clock.nowMs(), "a whole window since the drain");
}

async function drainAgain(course: Course, returnsAtOnce: boolean): Promise<void> {
  const { tools, probe, one, limit, perSecond, offset } = course;
  tools.enter("H: another window, drained by simultaneous requests");
  // Requests after this pause are decided in this window, whichever instance decides.
  await tools.sleep(afterWaitMs + 50, "every instance is in this window");
  await one("H");
  await tools.burst(probe("H"), Math.min(8, Math.ceil(limit / 4)));
  await one("H");
  // A label that stays the same over more than the allowances for clocks is that of a window.
  const pauseMs = Math.min(6000, Math.max(tools.windowMs / 8, Math.min(3300, tools.windowMs / 3)));
  await tools.sleep(pauseMs, "a pause shows whether the allowance refills");
  await tools.burst(probe("H"), countRacers(course));
  await one("H");
  await drain(tools, probe("H"), { limit });
  await tools.sleep(afterWaitMs + 50, "a refusal that comes alone");
  const again = await one("H");
  // A wait that is many seconds longer than a window is waited for once only.
  const isLong = (again.retry?.seconds ?? 0) * 1000 > 1.5 * tools.windowMs;
  if (again.outcome === "rejected" && !isLong) {
    const isBack = await returnWithVisits(tools, again, () => one("H"), offset);
    // A sliding limiter refuses for moments once two windows have been drained.
    const next = isBack && !returnsAtOnce ? await one("H") : null;
    if (next?.outcome === "rejected") await retryAtOnce(tools, next, probe("H"), perSecond);
  }
}

/** Visits keys and endpoints that must not notice the drain, once before and once after it. The visit of the other endpoint. */
async function visitOthers({ tools, subject }: Ways, phase: "A" | "F"): Promise<LimitOp> {
  const { key, otherKey, otherEndpoint } = subject;
  const visit = await tools.send({ policy: "requests", phase, key, ...otherEndpoint });
  if (otherKey !== null) await tools.send({ ...cheapest(tools, subject), phase, key: otherKey });
  return visit;
}

/** A limiter that asks for a longer wait is not waited for: three windows, or two in the short exam on a real clock. */
function longestWaitSeconds({ exam, manifest, windowMs }: ProbeTools): number {
  return ((exam === "short" && manifest.control === null ? 2 : 3) * windowMs) / 1000;
}
