import { perGroup } from "./lawful-limiters.ts";
import type { SimResponse, SimService } from "./simulator.ts";

/** Limiters of gateways and libraries, modelled after what was measured of them: each is a whole service with a dialect of its own. */
export interface ForeignService {
  readonly id: string;
  /** Checks of which one must fail; null: lawful. */
  readonly found: readonly string[] | null;
  /** Of found ones: reported as advice. */
  readonly advice?: boolean;
  readonly family?: string;
  create(limit: number, windowMs: number): SimService;
}

interface Answer {
  readonly status: number;
  readonly limit?: number;
  readonly remaining?: number;
  readonly resetMs?: number;
  readonly retrySeconds?: number | string;
}

type Answers = (group: string, nowMs: number, random: () => number) => Answer;

/** A service around one decision per request; without a limit in the answer it states nothing but Retry-After. */
function serve(answers: Answers, clockMs: (random: () => number) => number = () => 0): SimService {
  return (context) => {
    const { request, random } = context;
    if (request.credential.kind !== "bearer") {
      return context.reply({ status: 401, headers: {}, body: { error: { code: "unauthorized" } } });
    }
    const path = request.path.split("?")[0]!;
    if (path !== "/v1/models" && path !== "/v1/usage") return context.reply({ status: 404, headers: {}, body: {} });
    const aheadMs = clockMs(() => random.next());
    context.later(0.3 + random.next(), () => {
      const nowMs = context.now() + aheadMs;
      const answer = answers(`${request.credential.kind === "bearer" ? request.credential.key : ""}|${path}`, nowMs, () =>
        random.next(),
      );
      context.reply(render(answer, aheadMs === 0 ? null : nowMs));
    });
  };
}

function render(answer: Answer, dateMs: number | null): SimResponse {
  const { limit, remaining, resetMs, retrySeconds } = answer;
  const headers: Record<string, string> = {};
  if (dateMs !== null) headers["date"] = new Date(Math.floor(dateMs / 1000) * 1000).toUTCString();
  if (limit !== undefined) headers["x-ratelimit-limit-requests"] = String(limit);
  if (remaining !== undefined) headers["x-ratelimit-remaining-requests"] = String(remaining);
  if (resetMs !== undefined) headers["x-ratelimit-reset-requests"] = String(Math.ceil(resetMs / 1000));
  if (limit !== undefined) {
    Object.assign(headers, {
      "x-ratelimit-limit-tokens": "100000",
      "x-ratelimit-remaining-tokens": "100000",
      "x-ratelimit-reset-tokens": headers["x-ratelimit-reset-requests"],
    });
  }
  if (retrySeconds !== undefined) headers["retry-after"] = String(retrySeconds);
  return {
    status: answer.status,
    headers,
    body: answer.status === 200 ? { object: "list", data: [] } : { error: { code: "limited" } },
  };
}

interface Window {
  startMs: number;
  used: number;
}

/** Fixed windows; `refuse` shapes what comes beyond the limit. */
function windows(
  limit: number,
  windowMs: number,
  options: {
    readonly capacity?: number;
    readonly fromFirst?: boolean;
    readonly refreshedBy?: "all" | "refused";
    readonly unstated?: boolean;
    readonly instances?: number;
    readonly refuse?: (answer: Answer, leftMs: number) => Answer;
    readonly remaining?: (used: number) => number;
  },
): Answers {
  const stateOf = perGroup((nowMs): Window => ({ startMs: nowMs, used: 0 }));
  let turn = 0;
  return (group, nowMs) => {
    turn += 1;
    const state = stateOf(`${group}#${turn % (options.instances ?? 1)}`, nowMs);
    const own = options.fromFirst ?? options.refreshedBy !== undefined;
    const startMs = own ? state.startMs : Math.floor(nowMs / windowMs) * windowMs;
    if (own ? nowMs >= state.startMs + windowMs : startMs !== state.startMs)
      Object.assign(state, { startMs: own ? nowMs : startMs, used: 0 });
    const admitted = state.used < (options.capacity ?? limit);
    if (admitted) state.used += 1;
    if (options.refreshedBy === "all" || (options.refreshedBy === "refused" && !admitted)) state.startMs = nowMs;
    const endMs = state.startMs + windowMs;
    const remaining = Math.max(0, options.remaining ? options.remaining(state.used) : limit - state.used);
    const stated = options.unstated ? {} : { limit, remaining, resetMs: endMs };
    if (admitted) return { status: 200, ...stated };
    const refused = { status: 429, ...stated, retrySeconds: Math.ceil((endMs - nowMs) / 1000) };
    return options.refuse ? options.refuse(refused, endMs - nowMs) : refused;
  };
}

/** GCRA of any burst; states what is left after the request. */
function gcra(limit: number, windowMs: number, capacity: number, unstated = false): Answers {
  const stepMs = windowMs / limit;
  const stateOf = perGroup(() => ({ arrivalMs: 0 }));
  return (group, nowMs) => {
    const state = stateOf(group, nowMs);
    const arrivalMs = Math.max(state.arrivalMs, nowMs);
    const admitted = arrivalMs - nowMs <= (capacity - 1) * stepMs + 1e-6;
    if (admitted) state.arrivalMs = arrivalMs + stepMs;
    const remaining = Math.max(0, Math.floor((capacity * stepMs - (Math.max(state.arrivalMs, nowMs) - nowMs)) / stepMs + 1e-9));
    const stated = unstated ? {} : { limit, remaining, resetMs: Math.max(state.arrivalMs, nowMs) };
    if (admitted) return { status: 200, ...stated };
    return { status: 429, ...stated, retrySeconds: Math.ceil((arrivalMs - (capacity - 1) * stepMs - nowMs) / 1000) };
  };
}

/** Counts what is refused as well, over two periods; refusals always name one period (HAProxy with a constant Retry-After). */
function periodCounter(limit: number, windowMs: number, retrySeconds: number): Answers {
  const stateOf = perGroup((nowMs) => ({ tickMs: nowMs, used: 0, before: 0 }));
  return (group, nowMs) => {
    const state = stateOf(group, nowMs);
    if (nowMs >= state.tickMs + windowMs) {
      const idle = nowMs >= state.tickMs + 2 * windowMs;
      Object.assign(state, { tickMs: idle ? nowMs : state.tickMs + windowMs, before: idle ? 0 : state.used, used: 0 });
    }
    state.used += 1;
    const rate = Math.floor(state.used + state.before * (1 - (nowMs - state.tickMs) / windowMs));
    return rate <= limit ? { status: 200 } : { status: 429, retrySeconds };
  };
}

/** A bucket of the stated limit behind a few requests per second; refusals of the latter show what the former has left. */
function twoTiers(limit: number, windowMs: number, perSecond: number, retrySeconds: number, lockMs = 0): Answers {
  const slow = gcra(limit, windowMs, limit);
  const recent = perGroup((): { times: number[]; lockedMs: number } => ({ times: [], lockedMs: 0 }));
  const shown = new Map<string, Answer>();
  return (group, nowMs) => {
    const state = recent(group, nowMs);
    state.times = state.times.filter((atMs) => atMs > nowMs - 1000);
    const last = shown.get(group);
    if ((state.times.length >= perSecond || nowMs < state.lockedMs) && last !== undefined && (last.remaining ?? 0) > 0) {
      if (nowMs >= state.lockedMs) state.lockedMs = nowMs + lockMs;
      return { ...last, status: 429, retrySeconds };
    }
    const answer = slow(group, nowMs, () => 0);
    if (answer.status === 200) state.times.push(nowMs);
    shown.set(group, answer);
    return answer;
  };
}

export const foreignServices: readonly ForeignService[] = [
  { id: "fixed windows that state nothing", found: null, create: (l, w) => serve(windows(l, w, { unstated: true })) },
  { id: "GCRA that states nothing", found: null, create: (l, w) => serve(gcra(l, w, l, true)) },
  {
    id: "HAProxy counter, refusals name two periods",
    found: null,
    create: (l, w) => serve(periodCounter(l, w, (2 * w) / 1000)),
  },
  {
    id: "HAProxy counter, refusals name one period",
    found: ["limits.retry-after-too-short"],
    create: (l, w) => serve(periodCounter(l, w, w / 1000)),
  },
  {
    id: "two instances with counters of their own that state nothing",
    found: ["limits.over-admission"],
    create: (l, w) => serve(windows(l, w, { unstated: true, instances: 2 })),
  },
  {
    id: "waits rounded down by a service that states nothing",
    found: ["limits.retry-after-too-short"],
    create: (l, w) =>
      serve(
        windows(l, w, { unstated: true, refuse: (answer, leftMs) => ({ ...answer, retrySeconds: Math.floor(leftMs / 2000) }) }),
      ),
  },
  {
    id: "GCRA with a burst of the limit beyond the first",
    found: ["limits.capacity-above-limit"],
    create: (l, w) => serve(gcra(l, w, l + 1)),
  },
  {
    id: "fixed windows of one more",
    found: ["limits.over-admission", "limits.lost-updates"],
    create: (l, w) => serve(windows(l, w, { capacity: l + 1 })),
  },
  {
    id: "windows from the first request, of one more",
    found: ["limits.over-admission", "limits.lost-updates"],
    create: (l, w) => serve(windows(l, w, { capacity: l + 1, fromFirst: true })),
  },
  {
    id: "time to live refreshed by each request",
    found: ["limits.under-admission"],
    create: (l, w) => serve(windows(l, w, { refreshedBy: "all" })),
  },
  {
    id: "window restarted by each refused request",
    found: ["limits.under-admission"],
    create: (l, w) => serve(windows(l, w, { refreshedBy: "refused" })),
  },
  {
    id: "503 beyond the limit",
    found: ["limits.refusal-of-another-kind"],
    create: (l, w) => serve(windows(l, w, { refuse: (answer) => ({ ...answer, status: 503 }) })),
  },
  {
    id: "403 beyond the limit, nothing stated",
    found: ["limits.refusal-of-another-kind"],
    create: (l, w) => serve(windows(l, w, { unstated: true, refuse: () => ({ status: 403 }) })),
  },
  {
    id: "a wait of zero",
    found: ["limits.retry-after-too-short"],
    create: (l, w) => serve(windows(l, w, { refuse: (answer) => ({ ...answer, retrySeconds: 0 }) })),
  },
  {
    id: "a wait in milliseconds, nothing stated",
    found: ["limits.retry-after-too-long"],
    create: (l, w) =>
      serve(
        windows(l, w, { unstated: true, refuse: (answer, leftMs) => ({ ...answer, retrySeconds: Math.ceil(leftMs) + 600 }) }),
      ),
  },
  {
    id: "a wait an hour too long",
    found: ["limits.retry-after-too-long"],
    create: (l, w) =>
      serve(windows(l, w, { refuse: (answer) => ({ ...answer, retrySeconds: Number(answer.retrySeconds) + 3600 }) })),
  },
  { id: "30 a minute and 5 a second", found: null, family: "token-bucket", create: (l, w) => serve(twoTiers(l, w, 5, 1)) },
  {
    id: "30 a minute and 5 a second, whose wait is not enough",
    found: ["limits.second-limit"],
    create: (l, w) => serve(twoTiers(l, w, 5, 1, 4000)),
  },
  {
    id: "instances five seconds apart",
    found: ["limits.clocks-differ"],
    advice: true,
    create: (l, w) => serve(windows(l, w, {}), (random) => (random() < 0.5 ? 5000 : 0.001)),
  },
];
