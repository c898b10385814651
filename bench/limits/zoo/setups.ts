import type { RunningPeer } from "../../../test/limits/peers/peer-service.ts";
import { serveFront, type Integration } from "./front.ts";
import {
  bucket,
  expressStore,
  flexible,
  go,
  haproxy,
  java,
  nginx,
  python,
  rust,
  type Upstream,
  type ZooDecision,
} from "./upstreams.ts";

/** A limiter that others wrote as somebody deployed it; limit 30, windows of a minute. */
export interface ZooSetup {
  readonly id: string;
  readonly ecosystem: "Go" | "Rust" | "Java" | "Python" | "Node" | "Redis" | "HAProxy" | "nginx";
  /** `lawful`, or what is wrong. */
  readonly truth: string;
  /** Family that identification must not have refuted; null where none describes it, or it is broken. */
  readonly family: string | null;
  start(): Promise<RunningPeer>;
}

type Start = () => Promise<Upstream>;

const minute = 60_000;

async function deploy(starts: readonly Start[], integration: Integration): Promise<RunningPeer> {
  return serveFront(await Promise.all(starts.map((start) => start())), integration);
}

function lawful(
  ecosystem: ZooSetup["ecosystem"],
  id: string,
  family: string,
  start: Start,
  integration: Integration = {},
  more: readonly Start[] = [],
): ZooSetup {
  return { id, ecosystem, truth: "lawful", family, start: () => deploy([start, ...more], integration) };
}

function broken(
  ecosystem: ZooSetup["ecosystem"],
  id: string,
  truth: string,
  starts: readonly Start[],
  integration: Integration = {},
): ZooSetup {
  return { id, ecosystem, truth, family: null, start: () => deploy(starts, integration) };
}

const proxied: Integration = { stated: null };
const inTurn = (turn: number, count: number): number => turn % count;
/** The same key and path, the group of another. */
/** The key alone: a front that counts the field as sent opens a new window for each spelling of the scheme. */
const keyOf = (authorization: string | undefined): string => authorization?.split(" ").at(-1) ?? "";
const pathOf = (url: string | undefined): string => (url ?? "").split("?")[0]!;

const lawfulSetups: readonly ZooSetup[] = [
  lawful("Go", "golang.org/x/time/rate", "token-bucket", () => go("x-time-rate")),
  lawful("Go", "golang.org/x/time/rate, bucket of 10", "token-bucket", () => go("x-time-rate-10")),
  lawful("Go", "throttled GCRA", "token-bucket", () => go("throttled")),
  lawful("Go", "throttled GCRA, burst of 10", "token-bucket", () => go("throttled-10")),
  lawful("Go", "ulule/limiter, wait plus 1 s", "fixed-from-first", () => go("ulule")),
  lawful("Go", "sethvargo/go-limiter", "fixed-window", () => go("sethvargo")),
  lawful("Go", "redis_rate over Redis", "token-bucket", () => go("redis-rate")),
  lawful("Go", "x/time/rate, 30 a minute and 5 a second", "token-bucket", () => go("two-tiers")),
  lawful("Rust", "governor", "token-bucket", () => rust()),
  lawful("Rust", "governor, burst of 10", "token-bucket", () => rust(30, 10)),
  lawful("Java", "bucket4j, greedy refill", "token-bucket", () => java("bucket4j-greedy")),
  lawful("Java", "bucket4j, refill once a minute", "fixed-window", () => java("bucket4j-intervally")),
  lawful("Java", "bucket4j, 5 every 10 s", "batch-refill", () => java("bucket4j-batches")),
  lawful("Java", "resilience4j", "fixed-window", () => java("resilience4j")),
  lawful("Python", "limits, fixed window", "fixed-from-first", () => python("limits-fixed")),
  lawful("Python", "limits, moving window", "sliding-log", () => python("limits-moving")),
  lawful("Python", "limits, moving window over Redis", "sliding-log", () => python("limits-moving-redis")),
  lawful("Python", "limits, fixed window over Redis", "fixed-from-first", () => python("limits-fixed-redis")),
  lawful("Python", "throttled-py, GCRA", "token-bucket", () => python("throttled-py-gcra")),
  lawful("Python", "throttled-py, token bucket", "token-bucket", () => python("throttled-py-token_bucket")),
  lawful("Python", "throttled-py, fixed window", "fixed-window", () => python("throttled-py-fixed_window")),
  lawful("Node", "express-rate-limit, its store", "fixed-from-first", () => expressStore()),
  lawful("Node", "rate-limiter-flexible", "fixed-from-first", () => flexible()),
  lawful("Node", "limiter, token bucket", "token-bucket", () => bucket()),
  lawful("Redis", "INCR and EXPIRE, two processes", "fixed-from-first", () => python("redis-incr")),
  lawful("Redis", "INCR on windows of the clock", "fixed-window", () => python("redis-aligned")),
  lawful("HAProxy", "http_req_rate, Retry-After 120", "sliding-counter", () => haproxy(120), proxied),
  lawful("nginx", "limit_req with 429, Retry-After 2", "token-bucket", () => nginx(429), proxied),
];

/** Headers are taken from a cache of half a second. */
function cached(): (decision: ZooDecision) => ZooDecision {
  let kept: { readonly decision: ZooDecision; readonly atMs: number } | null = null;
  return (decision) => {
    if (kept === null || Date.now() - kept.atMs > 500) kept = { decision, atMs: Date.now() };
    return { ...decision, remaining: kept.decision.remaining, resetMs: kept.decision.resetMs };
  };
}

const brokenSetups: readonly ZooSetup[] = [
  broken(
    "Python",
    "limits in two processes, memory of their own",
    "own counters",
    [() => python("limits-fixed"), () => python("limits-fixed")],
    { pick: inTurn },
  ),
  broken("Go", "sethvargo on two instances in turn", "own counters", [() => go("sethvargo"), () => go("sethvargo")], {
    pick: inTurn,
  }),
  broken(
    "Java",
    "bucket4j on two instances in turn",
    "own buckets",
    [() => java("bucket4j-greedy"), () => java("bucket4j-greedy")],
    { pick: inTurn },
  ),
  broken("Rust", "governor with a canary", "a tenth goes to an instance of its own", [() => rust(), () => rust()], {
    pick: (turn) => (turn % 10 === 9 ? 1 : 0),
  }),
  broken("nginx", "two nginx in turn", "own counters, nothing stated", [() => nginx(429), () => nginx(429)], {
    ...proxied,
    pick: inTurn,
  }),
  broken("Redis", "GET then SET", "lost updates", [() => python("redis-get-then-set")]),
  broken("Redis", "GET then INCR", "check before count", [() => python("redis-get-then-incr")]),
  broken("Redis", "INCR and EXPIRE each time", "time to live refreshed", [() => python("redis-ttl-refreshed")]),
  broken("Python", "limits, test then hit", "check before count", [() => python("limits-test-then-hit")]),
  broken("Python", "limits, 50 s told as a minute", "cycles of 50 s", [() => python("limits-fixed-50")], {
    distort: (decision) => ({ ...decision, resetMs: decision.resetMs! + 10_000, retryMs: decision.retryMs! + 10_000 }),
  }),
  broken("Java", "resilience4j, 50 s told as a minute", "cycles of 50 s", [() => java("resilience4j-50")], {
    distort: (decision) => ({ ...decision, resetMs: decision.resetMs! + 10_000, retryMs: decision.retryMs! + 10_000 }),
  }),
  broken("Go", "throttled, MaxBurst is the limit", "one more in a burst", [() => go("throttled-burst")]),
  broken("Go", "x/time/rate, refill each second", "refill doubled", [() => go("x-time-rate-doubled")]),
  broken("Node", "limiter, 60 a minute told as 30", "refill doubled", [() => bucket(30, 60)]),
  broken("Node", "rate-limiter-flexible of 31", "one more in a window", [() => flexible(31)], {
    distort: (decision) => ({ ...decision, remaining: Math.max(0, decision.remaining! - 1) }),
  }),
  broken("Python", "limits of 31 over Redis", "one more in a window", [() => python("limits-fixed-redis", 31)], {
    distort: (decision) => ({ ...decision, remaining: Math.max(0, decision.remaining! - 1) }),
  }),
  broken("Node", "express store of 29", "one less in a window", [() => expressStore(29)], {
    distort: (decision) => ({ ...decision, remaining: decision.remaining! + 1 }),
  }),
  broken("Node", "express store, key by address", "keys share a counter", [() => expressStore()], {
    group: (request) => `address|${pathOf(request.url)}`,
  }),
  broken("Go", "throttled, key by address and port", "connections are counted", [() => go("throttled")], {
    group: (request) => `${request.socket.remotePort}|${pathOf(request.url)}`,
  }),
  broken("Rust", "governor, one for all endpoints", "endpoints share a counter", [() => rust()], {
    group: (request) => keyOf(request.headers.authorization),
  }),
  broken("Python", "limits, another spelling passes", "bypass path", [() => python("limits-moving")], {
    unlimited: (path) => path === "/v1/models/",
  }),
  broken("Java", "resilience4j mounted twice", "counted twice", [() => java("resilience4j")], { times: 2 }),
  broken("Node", "express store, cleared every 20 s", "counters cleared by reload", [() => expressStore()], {
    group: (request) => `${keyOf(request.headers.authorization)}|${pathOf(request.url)}|${Math.floor(Date.now() / 20_000)}`,
  }),
  broken("Redis", "INCR, open when the store is slow", "fail-open on time-out", [() => python("redis-incr")], {
    unlimited: (path, turn) => path === "/v1/models" && turn % 8 === 7,
  }),
  broken("Go", "sethvargo, headers from a cache", "stale headers", [() => go("sethvargo")], { distort: cached() }),
  broken("Python", "limits, remaining below zero", "remaining -1", [() => python("limits-fixed")], {
    distort: (decision) => (decision.status === 429 ? { ...decision, remaining: -1 } : decision),
  }),
  broken("Java", "bucket4j, wait rounded down", "wait floored", [() => java("bucket4j-greedy")], {
    retryText: (retryMs) => String(Math.floor(retryMs / 1000)),
  }),
  broken("Go", "sethvargo, wait of a clock 5 s ahead", "wait too short", [() => go("sethvargo")], {
    distort: (decision) => ({ ...decision, retryMs: decision.retryMs! - 5000 }),
  }),
  broken("Node", "rate-limiter-flexible, clocks 5 s apart", "skewed instances", [() => flexible()], {
    aheadMs: (turn) => (turn % 2 === 0 ? 5000 : 0),
  }),
  broken("Python", "limits, reset an hour ahead", "reset wrong", [() => python("limits-fixed")], {
    distort: (decision) => ({ ...decision, resetMs: decision.resetMs! + 60 * minute }),
  }),
  broken("nginx", "limit_req as shipped", "503 instead of 429", [() => nginx(503)], proxied),
  broken("HAProxy", "http_req_rate, Retry-After 60", "promise broken", [() => haproxy(60)], proxied),
  broken("Node", "express store, wait in milliseconds", "wait in another unit", [() => expressStore()], {
    retryText: (retryMs) => String(Math.ceil(retryMs)),
  }),
  broken("Rust", "governor, wait an hour too long", "wait too long", [() => rust()], {
    distort: (decision) => ({ ...decision, retryMs: decision.retryMs! + 60 * minute }),
  }),
  broken("Go", "redis_rate, Retry-After 0", "wait of zero", [() => go("redis-rate")], { retryText: () => "0" }),
  broken("Go", "ulule, 403 beyond the limit", "another status", [() => go("ulule")], {
    distort: (decision) => (decision.status === 429 ? { ...decision, status: 403 } : decision),
  }),
];

export const zooSetups: readonly ZooSetup[] = [...lawfulSetups, ...brokenSetups];
