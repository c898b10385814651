import type { Clock } from "../../core/clock.ts";
import { awayAtMostMs } from "../../core/ends/absences.ts";
import { endpoints } from "../../core/exchange/endpoint.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { type ExchangeFacts, factsOf } from "../../core/exchange/exchange-facts.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { OnProgress } from "../../core/progress.ts";
import { hashString, type Random } from "../../core/random.ts";
import { longestWaitMs } from "../../core/exchange/headers/retry-hints.ts";
import { statedAbsenceMs } from "../../core/exchange/stated-absence.ts";
import type { Sender, SendRequest } from "../../core/exchange/send-request.ts";
import { changeSettings } from "../../settings/change-settings.ts";
import { settingsRoute } from "../../settings/settings-address.ts";
import type { SettingsJournal } from "../../settings/settings-journal.ts";
import type { Case, CaseRequest, CaseTools } from "../plan/case.ts";
import { HarnessFault } from "../judging/harness-fault.ts";
import type { Lookout } from "../plan/lookout.ts";
import type { FramingWatch } from "../plan/framing-watch.ts";
import { OutOfPatience, type Patience } from "../plan/patience.ts";
import type { RequestPacer } from "./request-pacer.ts";
import type { WaitAccount } from "../plan/wait-account.ts";

/** The parts that the tools of all cases of one run share. */
export interface CaseSession {
  readonly manifest: Manifest;
  readonly sender: Sender;
  readonly clock: Clock;
  readonly random: Random;
  readonly pacer: RequestPacer;
  readonly waits: WaitAccount;
  readonly lookout: Lookout;
  readonly journal: SettingsJournal;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
  readonly patience: Patience;
  readonly framings: FramingWatch;
  readonly record: (exchange: Exchange) => void;
}

/** Repeats a case to confirm a failure: fresh connections, attempts that name the first ones. */
export interface Confirmation {
  /** By label, the sequence number of the first attempt. */
  readonly firstAttempts: ReadonlyMap<string, number>;
  /** By label, how often it was sent before. */
  readonly attempts: ReadonlyMap<string, number>;
}

/** Beyond the first try; a race on a reused socket, a limit of others or a hiccup must not decide a verdict. */
const retriesAtMost = 2;
const longestRetryWaitMs = 130_000;
const passingFailures: ReadonlySet<string> = new Set(["connection-closed", "incomplete-body", "connect-timeout", "timeout"]);
/** Connections of a repetition must be other connections than those of the first pass. */
const confirmationConnectionOffset = 1_000_000;

export function createCaseTools(one: Case, session: CaseSession, confirmation: Confirmation | null): CaseTools {
  const { manifest, clock, signal } = session;
  const labels = new Set<string>();
  const tokensEach = Math.ceil(one.cost.tokens / Math.max(1, countRequests(one)));

  const prepare = (asked: CaseRequest): SendRequest => {
    if (labels.has(asked.label)) throw new HarnessFault(`case ${one.id} sends two requests labelled ${asked.label}`);
    labels.add(asked.label);
    const request = completeRequest(one, asked, session, confirmation);
    if (session.patience.isOver(request)) throw new OutOfPatience(session.patience.reason(request));
    return request;
  };
  const optionsOf = (asked: CaseRequest): SendOptions => ({
    session,
    tokens: asked.reserve?.tokens ?? tokensEach,
    retry: asked.retry !== false,
  });

  return {
    manifest,
    signal,
    random: session.random.fork(one.id),
    send: async (asked) => sendPaced(prepare(asked), optionsOf(asked)),
    sendAtOnce: async (asked) =>
      sendTogether(
        asked.map((each) => ({ request: prepare(each), options: optionsOf(each) })),
        session,
      ),
    lookUntil: (longestMs, look) => session.lookout.until(longestMs, signal, look),
    seenAfterMs: () => session.lookout.latestMs(),
    sleep: (ms) => clock.sleep(ms, signal),
    wallMs: () => clock.wallMs(),
    restoring: async (subject, body) => {
      const change = {
        subject: subject.kind === "key" ? `key:${subject.key}` : "account",
        by: manifest.keys["admin"] === undefined ? "primary" : "admin",
        members: null,
      };
      const { record, sender, journal, onProgress, patience } = session;
      // If no change is let through, a case would wait for its change and for each try to put it back.
      const route = settingsRoute(manifest, change.subject);
      const request = route === null ? null : { ...route, credential: { kind: "bearer", key: change.by } as const };
      if (request !== null && patience.isOver(request)) throw new OutOfPatience(patience.reason(request));
      const stage = { stage: "setup", caseId: one.id, manifest, sender, clock, journal, onProgress, onExchange: record } as const;
      await changeSettings(change, stage, body);
    },
  };
}

function completeRequest(
  one: Case,
  asked: CaseRequest,
  { signal, manifest }: Pick<CaseSession, "signal" | "manifest">,
  confirmation: Confirmation | null,
): SendRequest {
  const { retry: _retry, ...rest } = asked;
  const route = asked.endpoint === null ? null : endpoints[asked.endpoint];
  const path = asked.path ?? route?.path;
  if (path === undefined) throw new HarnessFault(`case ${one.id} sends ${asked.label} without a path`);
  const first = confirmation?.firstAttempts.get(asked.label);
  const connection = asked.connection ?? "pooled";
  // Header fields of a request replace those of the target.
  const statesCoding = Object.keys(manifest.target.headers).some((name) => name.toLowerCase() === "accept-encoding");
  return {
    ...rest,
    stage: "conformance",
    caseId: one.id,
    intent: asked.intent ?? { kind: "valid" },
    headers: { ...(!statesCoding && packs(one, asked) ? { "accept-encoding": packed } : {}), ...asked.headers },
    method: asked.method ?? route?.method ?? "GET",
    path,
    credential: asked.credential ?? { kind: "bearer", key: "primary" },
    signal,
    ...(confirmation === null
      ? {}
      : { connection: typeof connection === "number" ? connection + confirmationConnectionOffset : "fresh" }),
    attempt: (confirmation?.attempts.get(asked.label) ?? 0) + 1,
    ...(first === undefined ? {} : { retryOf: first }),
  };
}

/** The codings that clients accept as they are delivered; what is packed may come late, so that no stream is asked for in one. */
const packed = "gzip, deflate, br";
/** One case in so many: its answers are compared with each other, and are all packed or none. */
const packedOneIn = 3;

function packs(one: Case, { endpoint, body }: CaseRequest): boolean {
  if (endpoint === null || hashString(one.id) % packedOneIn !== 0) return false;
  if (endpoint !== "chat" || body === undefined) return true;
  if (body.kind === "raw") return typeof body.bytes === "string" && !body.bytes.includes("stream");
  return body.kind === "json" && !JSON.stringify(body.value ?? null).includes('"stream":true');
}

interface SendOptions {
  readonly session: CaseSession;
  readonly tokens: number;
  readonly retry: boolean;
}

function allowanceOf(request: SendRequest): string {
  const key = request.credential.kind === "bearer" ? request.credential.key : "no key";
  return `${key} ${request.endpoint ?? "other"}`;
}

interface Prepared {
  readonly request: SendRequest;
  readonly options: SendOptions;
}

/** Releases them in one go, or in several where a limit does not admit all, and repeats what was spoiled, one after another. */
async function sendTogether(prepared: readonly Prepared[], session: CaseSession): Promise<readonly ExchangeFacts[]> {
  const { pacer, signal } = session;
  const answers = new Map<Prepared, ExchangeFacts>();
  for (let open = prepared; open.length > 0; open = open.filter((one) => !answers.has(one))) {
    const [first, ...others] = open;
    if (first === undefined) break;
    await pacer.admit(allowanceOf(first.request), first.options.tokens, signal);
    const admitted = [first, ...others.filter(({ request, options }) => pacer.tryAdmit(allowanceOf(request), options.tokens))];
    const released = await session.sender.burst(admitted.map(({ request }) => session.framings.fit(request)));
    const pairs = admitted.map((one, index) => {
      const exchange = released[index];
      if (exchange === undefined) throw new HarnessFault(`nothing came of ${one.request.label}, which was sent with others`);
      return [one, factsOf(exchange)] as const;
    });
    // The order of answers is not that of admissions: the least that remains is what the pacer goes by.
    const left = ({ rateLimit }: ExchangeFacts): number => rateLimit.requests.remaining ?? Number.MAX_SAFE_INTEGER;
    for (const [one, facts] of pairs.toSorted(([, first], [, second]) => left(second) - left(first))) {
      pacer.settle(allowanceOf(one.request), one.options.tokens, facts);
      answers.set(one, facts);
    }
  }
  const settled: ExchangeFacts[] = [];
  for (const one of prepared) settled.push(await sendPaced(one.request, one.options, answers.get(one) ?? null));
  return settled;
}

/**
 * Sends under the pacer and repeats what a 429, a 5xx or a transport race spoiled, at most twice; a service that says how long it is
 * away is asked again until patience ends. `first`: what came of the request when it was sent with others.
 */
async function sendPaced(
  request: SendRequest,
  { session, tokens, retry }: SendOptions,
  first: ExchangeFacts | null = null,
): Promise<ExchangeFacts> {
  const allowance = allowanceOf(request);
  // A request that drives a limit is meant to be refused: pacing would prevent it.
  const isLimitProbe = request.intent.kind === "limit";
  const mayRetry = retry && !isLimitProbe && !isFaultTrigger(request);
  let again: Pick<SendRequest, "attempt" | "retryOf" | "connection"> = {};
  let given = first;
  let refusedAtMs: number | null = null;
  let awayMs = 0;
  for (let tried = 0; ; tried += 1) {
    const attempt = session.framings.fit({ ...request, ...again });
    const exchange =
      given ??
      (isLimitProbe ? factsOf(await session.sender.send(attempt)) : await sendAdmitted(attempt, { session, allowance, tokens }));
    given = null;
    session.record(exchange);
    session.framings.learn(exchange);
    session.patience.learn(request, exchange, refusedAtMs === null ? null : exchange.timing.sentMs - refusedAtMs);
    const absenceMs = statedAbsenceMs(exchange);
    refusedAtMs = absenceMs !== null || exchange.status === 429 || exchange.status === 503 ? exchange.timing.endMs : null;
    session.onProgress({ kind: "answered", stage: "conformance", status: exchange.status, ttftMs: null });
    const isAwaited = absenceMs !== null && absenceMs > 0 && awayMs < awayAtMostMs && !session.patience.isOver(request);
    const waitMs = mayRetry && (isAwaited || tried < retriesAtMost) ? retryWaitMs(exchange, tried) : null;
    if (isAwaited) awayMs += waitMs ?? 0;
    if (waitMs === null || session.signal.aborted) return exchange;
    if (waitMs > 0) {
      const reason = `${allowance}: ${exchange.failure?.kind ?? `answered ${exchange.status}`}`;
      session.onProgress({ kind: "waiting", stage: "conformance", reason, ms: waitMs });
      await session.waits.sleep(waitMs, session.signal);
    }
    // A connection that was closed meanwhile may explain a fault, a fresh one does not.
    const isBroken = exchange.failure !== null && (request.connection ?? "pooled") === "pooled";
    const connection = isBroken ? ({ connection: "fresh" } as const) : {};
    again = { attempt: exchange.attempt + 1, retryOf: exchange.retryOf ?? exchange.seq, ...connection };
  }
}

async function sendAdmitted(
  request: SendRequest,
  { session, allowance, tokens }: { readonly session: CaseSession; readonly allowance: string; readonly tokens: number },
): Promise<ExchangeFacts> {
  await session.pacer.admit(allowance, tokens, session.signal);
  const exchange = factsOf(await session.sender.send(request));
  session.pacer.settle(allowance, tokens, exchange);
  return exchange;
}

function isFaultTrigger({ intent }: SendRequest): boolean {
  return intent.kind === "violates" && (intent.condition === "fault-trigger" || intent.condition === "payment-required");
}

/** null: the answer stands. Waits are what the target asked for, else a short back-off that doubles. */
function retryWaitMs(exchange: ExchangeFacts, tried: number): number | null {
  const backOffMs = 500 * 2 ** tried;
  if (exchange.failure !== null) {
    if (exchange.failure.kind === "reused-connection-closed") return 0;
    return passingFailures.has(exchange.failure.kind) ? backOffMs : null;
  }
  const status = exchange.status ?? 0;
  if (status === 429 && !exchange.isQuotaExceeded) {
    // The pacer holds this allowance back by the same hint. A target that asks for an hour is not asked again.
    return (longestWaitMs(exchange.retryHints) ?? 0) > longestRetryWaitMs ? null : 0;
  }
  if (status >= 500 && status !== 501 && status !== 505) {
    // A wait of nothing is less than the second that it is counted in.
    return Math.min(longestRetryWaitMs, statedAbsenceMs(exchange) || backOffMs);
  }
  return null;
}

/** Requests that a case sends at most, repeats left out. */
function countRequests(one: Case): number {
  return Object.values(one.cost.requests).reduce((sum, count) => sum + count, 0);
}
