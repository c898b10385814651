import type { CrossCheck } from "../../core/result/second-account.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { Budget } from "../../wire/budget/budget.ts";
import { concurrencyOf } from "../arrivals/arrival-kinds.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { LoadRequest } from "../workload/workload.ts";

export interface CrossCheckInput {
  readonly profile: LoadProfile;
  readonly manifest: Manifest;
  readonly request: LoadRequest;
  /** Of the run: what autocannon may send is taken from it before it starts. */
  readonly budget: Pick<Budget, "reserveMany">;
  readonly signal: AbortSignal;
}

/** It repeats the length of our own measurement, within these bounds. */
const longestSeconds = 10;
/** More than it can send: where no budget bounds it, its time does. */
const mostPerSecond = 200_000;
/** With fewer on each connection its figures are those of its start. */
const leastPerConnection = 10;

/**
 * Runs autocannon over the same closed loop. Its known defects are fenced: its rate mode is never used,
 * because it sends a second's quota at once and only there applies a correction that takes every interval for one millisecond;
 * its latency is dropped when it contradicts its own throughput (it pairs answers wrongly after a reconnect). It knows no budget,
 * so it gets a number of requests that the budget has set aside, and is stopped by our own timer: with a number it keeps no time.
 */
export async function crossCheckWithAutocannon(input: CrossCheckInput): Promise<AutocannonRun | { readonly skipped: string }> {
  const { profile, manifest, request } = input;
  const connections = concurrencyOf(profile.arrivals) ?? 1;
  const seconds = Math.min(longestSeconds, Math.max(1, Math.round(profile.durationSeconds)));
  const reserved = input.budget.reserveMany(seconds * mostPerSecond, request.reserve);
  if (reserved.requests < leastPerConnection * connections) {
    reserved.settle(0);
    return {
      skipped: `the budget holds ${reserved.requests} more requests, the cross-check needs ${leastPerConnection * connections} and more`,
    };
  }
  // Until it says what it sent, all of it counts as sent.
  let sent = reserved.requests;
  const { default: autocannon } = await import("autocannon");
  const { headers } = manifest.target;
  const instance = autocannon({
    url: manifest.target.baseUrl.replace(/\/$/, "") + request.path,
    method: request.method === "POST" ? "POST" : "GET",
    connections,
    amount: reserved.requests,
    timeout: Math.ceil(profile.timeoutSeconds),
    headers: { ...headers, authorization: `Bearer ${manifest.keys[profile.key]?.secret ?? ""}` },
    ...(request.body?.kind === "raw" ? { body: Buffer.from(request.body.bytes) } : {}),
  });
  const stop = (): void => {
    (instance as { readonly stop?: () => void }).stop?.();
  };
  input.signal.addEventListener("abort", stop, { once: true });
  const timer = setTimeout(stop, 1000 * seconds);
  try {
    const { duration, requests, latency, errors, non2xx } = await instance;
    sent = requests.sent;
    const figures = {
      duration,
      requests: { average: requests.average, total: requests.total, sent },
      latency: { mean: latency.mean },
      errors,
      non2xx,
    };
    return { figures, connections, amount: reserved.requests };
  } finally {
    clearTimeout(timer);
    reserved.settle(sent);
    input.signal.removeEventListener("abort", stop);
  }
}

/** The report of autocannon on one run. */
export interface AutocannonRun {
  readonly figures: AutocannonFigures;
  readonly connections: number;
  /** Requests that the budget had set aside for it. */
  readonly amount: number;
}

/** The members of its result that are used. */
export interface AutocannonFigures {
  readonly duration: number;
  readonly requests: { readonly average: number; readonly total: number; readonly sent: number };
  readonly latency: { readonly mean: number };
  readonly errors: number;
  readonly non2xx: number;
}

/**
 * Little's law: requests in flight (rate times mean latency) cannot exceed the connections. Lost requests: what was sent and
 * never counted, as an answer or an error, cannot exceed the connections either. When the budget ended it, its last second was cut
 * short, and its rate with it.
 */
export function fenceAutocannon(
  figures: AutocannonFigures,
  connections: number,
  ourRequestsPerSecond: number,
  amount: number,
): CrossCheck {
  const { requests, latency, errors } = figures;
  const problems: string[] = [];
  // Its latencies are whole milliseconds, rounded down or up: allow for one.
  const inFlight = (requests.average * Math.max(0, latency.mean - 1)) / 1000;
  if (inFlight > 1.05 * connections) problems.push("little");
  if (requests.sent - requests.total - errors > connections) problems.push("lost-requests");
  if (requests.sent >= amount) problems.push("ended-by-budget");
  return {
    tool: "autocannon",
    connections,
    seconds: figures.duration,
    requests: requests.sent,
    requestsPerSecond: requests.average,
    meanLatencyMs: problems.length === 0 ? latency.mean : null,
    errors,
    non2xx: figures.non2xx,
    ourRequestsPerSecond,
    ratio: requests.average > 0 ? ourRequestsPerSecond / requests.average : null,
    problems,
  };
}
