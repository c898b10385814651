import fastifyRateLimit from "@fastify/rate-limit";
import Bottleneck from "bottleneck";
import Fastify from "fastify";
import { TokenBucket } from "limiter";
import { BurstyRateLimiter, RateLimiterMemory, RateLimiterQueue, RateLimiterRes } from "rate-limiter-flexible";
import { serveExpress } from "./express-peer.ts";
import { createRemoteStores } from "./remote-store.ts";
import {
  bodyOf,
  groupOf,
  headersOf,
  peerPaths,
  serveDecisions,
  type PeerDecision,
  type PeerLimits,
  type RunningPeer,
} from "./peer-service.ts";

/** A limiter from a package of others, behind the header dialect of the specification. */
export interface Peer {
  readonly id: string;
  /** The family that identification must not have refuted; null: a combination that no family of the list describes. */
  readonly family: string | null;
  /** The limits that its headers state. */
  readonly limits: PeerLimits;
  start(): Promise<RunningPeer>;
}

export const peerLimits: PeerLimits = { limit: 30, windowMs: 8000 };
/**
 * A bucket that refills is asked more slowly, as limits per minute are: a pause of half a second then refills less than one
 * request.
 */
const bucketLimits: PeerLimits = { limit: 12, windowMs: 12_000 };
/** A queue holds every drain until the window ends. */
const queueLimits: PeerLimits = { limit: 10, windowMs: 3000 };

/** One request at a time leaves the queue, a twelfth of the window apart. */
const spacedLimits: PeerLimits = { limit: 12, windowMs: 3000 };

export const lawfulPeers: readonly Peer[] = [
  { id: "express-rate-limit", family: "fixed-from-first", limits: peerLimits, start: () => serveExpress(peerLimits) },
  { id: "@fastify/rate-limit", family: "fixed-from-first", limits: peerLimits, start: serveFastify },
  {
    id: "rate-limiter-flexible, memory",
    family: "fixed-from-first",
    limits: peerLimits,
    start: () => serveFlexible(peerLimits, 0),
  },
  { id: "rate-limiter-flexible, bursty", family: null, limits: peerLimits, start: serveBursty },
  { id: "rate-limiter-flexible, queue", family: "fixed-from-first", limits: queueLimits, start: serveQueue },
  { id: "limiter, token bucket", family: "token-bucket", limits: bucketLimits, start: () => serveBucket(bucketLimits.limit) },
  { id: "limiter, token bucket that starts empty", family: "token-bucket", limits: bucketLimits, start: () => serveBucket(0) },
  { id: "bottleneck, reservoir", family: "fixed-window", limits: peerLimits, start: serveReservoir },
  { id: "bottleneck, spaced queue that refuses when full", family: "token-bucket", limits: spacedLimits, start: serveSpaced },
  {
    id: "two express-rate-limit instances over one remote store",
    family: "fixed-from-first",
    limits: peerLimits,
    start: () => serveExpress(peerLimits, undefined, 2, createRemoteStores(peerLimits.windowMs)),
  },
];

async function serveFastify(): Promise<RunningPeer> {
  const { limit, windowMs } = peerLimits;
  const app = Fastify();
  await app.register(fastifyRateLimit, {
    global: false,
    max: limit,
    timeWindow: windowMs,
    keyGenerator: (request) => groupOf(request),
  });
  const count = app.createRateLimit();
  for (const path of peerPaths) {
    app.get(path, async (request, reply) => {
      if (request.headers.authorization === undefined) return reply.status(401).send({ error: { code: "unauthorized" } });
      const state = await count(request);
      if (state.isAllowed) throw new Error("nobody is on an allow list");
      const decision: PeerDecision = {
        admitted: !state.isExceeded,
        limit: state.max,
        remaining: state.remaining,
        resetMs: Date.now() + state.ttl,
        retryMs: state.ttl,
      };
      return reply
        .status(decision.admitted ? 200 : 429)
        .headers(headersOf(decision))
        .send(bodyOf(decision));
    });
  }
  app.setNotFoundHandler((_request, reply) => reply.status(404).send({ error: { code: "not_found" } }));
  return { url: await app.listen({ host: "127.0.0.1", port: 0 }), close: () => app.close() };
}

/** `excess` requests are granted beyond the stated limit. */
export function serveFlexible({ limit, windowMs }: PeerLimits, excess: number): Promise<RunningPeer> {
  const limiter = new RateLimiterMemory({ points: limit + excess, duration: windowMs / 1000 });
  return serveDecisions(async (group) => {
    const { admitted, state } = await consume(limiter, group);
    return fromFlexible(limit, admitted, state, Math.max(0, state.remainingPoints - excess));
  });
}

interface FlexibleOutcome {
  readonly admitted: boolean;
  readonly state: RateLimiterRes;
}

async function consume(limiter: RateLimiterMemory | BurstyRateLimiter, group: string): Promise<FlexibleOutcome> {
  try {
    return { admitted: true, state: await limiter.consume(group) };
  } catch (state) {
    if (state instanceof RateLimiterRes) return { admitted: false, state };
    throw state;
  }
}

function fromFlexible(limit: number, admitted: boolean, state: RateLimiterRes, remaining: number): PeerDecision {
  return { admitted, limit, remaining, resetMs: Date.now() + state.msBeforeNext, retryMs: state.msBeforeNext };
}

/** Two thirds of the limit from one window, a third from another that begins when the first is used up. */
function serveBursty(): Promise<RunningPeer> {
  const { limit, windowMs } = peerLimits;
  const seconds = windowMs / 1000;
  const main = new RateLimiterMemory({ points: (2 * limit) / 3, duration: seconds });
  const extra = new RateLimiterMemory({ points: limit / 3, duration: seconds, keyPrefix: "extra" });
  const limiter = new BurstyRateLimiter(main, extra);
  return serveDecisions(async (group) => {
    const { admitted, state } = await consume(limiter, group);
    const beyond = (await extra.get(group))?.remainingPoints ?? extra.points;
    return fromFlexible(limit, admitted, state, state.remainingPoints + beyond);
  });
}

/** Up to four requests wait for the next window; what finds the queue full is refused. */
function serveQueue(): Promise<RunningPeer> {
  const { limit, windowMs } = queueLimits;
  const limiter = new RateLimiterMemory({ points: limit, duration: windowMs / 1000 });
  const queue = new RateLimiterQueue(limiter, { maxQueueSize: 4 });
  return serveDecisions(async (group) => {
    const remaining = await queue.removeTokens(1, group).catch(() => null);
    const msBeforeNext = (await limiter.get(group))?.msBeforeNext ?? 0;
    return {
      admitted: remaining !== null,
      limit,
      remaining: remaining ?? 0,
      resetMs: Date.now() + msBeforeNext,
      retryMs: msBeforeNext,
    };
  });
}

function perGroup<T>(create: () => T): (group: string) => T {
  const known = new Map<string, T>();
  return (group) => {
    const one = known.get(group) ?? create();
    known.set(group, one);
    return one;
  };
}

/** A bucket of the package is empty at first; `content` fills it. */
function serveBucket(content: number): Promise<RunningPeer> {
  const { limit, windowMs } = bucketLimits;
  const bucketOf = perGroup(() => {
    const bucket = new TokenBucket({ bucketSize: limit, tokensPerInterval: limit, interval: windowMs });
    bucket.content = content;
    return bucket;
  });
  return serveDecisions((group) => {
    const bucket = bucketOf(group);
    const admitted = bucket.tryRemoveTokens(1);
    return {
      admitted,
      limit,
      remaining: Math.floor(bucket.content),
      resetMs: Date.now() + ((limit - bucket.content) * windowMs) / limit,
      retryMs: admitted ? 0 : bucket.getWaitTime(1),
    };
  });
}

/** The heartbeat of the package looks at its reservoir four times a second, so that a refill comes up to that much late. */
const heartbeatMs = 250;

function serveReservoir(): Promise<RunningPeer> {
  const { limit, windowMs } = peerLimits;
  const started: Bottleneck[] = [];
  const limiterOf = perGroup(() => {
    const limiter = new Bottleneck({
      reservoir: limit,
      reservoirRefreshAmount: limit,
      reservoirRefreshInterval: windowMs,
      highWater: 0,
      strategy: Bottleneck.strategy.OVERFLOW,
    });
    started.push(limiter);
    return limiter;
  });
  return withStop(
    serveDecisions(async (group) => {
      const limiter = limiterOf(group);
      const admitted = await isRun(limiter);
      const remaining = (await limiter.currentReservoir()) ?? 0;
      // The package states nobody when it refills next.
      const { _store: store } = limiter as unknown as { readonly _store: { readonly _lastReservoirRefresh: number } };
      const resetMs = store._lastReservoirRefresh + windowMs + heartbeatMs;
      return { admitted, limit, remaining, resetMs, retryMs: resetMs - Date.now() };
    }),
    started,
  );
}

/** A bucket in front of a queue: requests wait their turn, and what finds as many waiting as the limit allows is refused. */
function serveSpaced(): Promise<RunningPeer> {
  const { limit, windowMs } = spacedLimits;
  const minTime = windowMs / limit;
  const started: Bottleneck[] = [];
  const limiterOf = perGroup(() => {
    const limiter = new Bottleneck({ minTime, maxConcurrent: 1, highWater: limit - 1, strategy: Bottleneck.strategy.OVERFLOW });
    started.push(limiter);
    return limiter;
  });
  const freeAt = new Map<string, number>();
  return withStop(
    serveDecisions(async (group) => {
      const limiter = limiterOf(group);
      const running = isRun(limiter);
      // The package counts what waits; when the next one may leave follows from its spacing.
      const now = Date.now();
      const emptyMs = Math.max(freeAt.get(group) ?? 0, now);
      const admitted = await running;
      if (admitted) freeAt.set(group, Math.max(freeAt.get(group) ?? 0, now) + minTime);
      const waiting = (emptyMs - now) / minTime + (admitted ? 1 : 0);
      const remaining = admitted ? Math.max(0, Math.floor(limit - waiting)) : 0;
      return { admitted, limit, remaining, resetMs: emptyMs + minTime, retryMs: 2 * minTime };
    }),
    started,
  );
}

async function isRun(limiter: Bottleneck): Promise<boolean> {
  return limiter
    .schedule(async () => true)
    .catch((error: unknown) => {
      if (error instanceof Bottleneck.BottleneckError) return false;
      throw error;
    });
}

/** Ends the heartbeats together with the server. */
async function withStop(starting: Promise<RunningPeer>, limiters: readonly Bottleneck[]): Promise<RunningPeer> {
  const peer = await starting;
  return {
    url: peer.url,
    async close() {
      await peer.close();
      await Promise.all(limiters.map((limiter) => limiter.disconnect(false)));
    },
  };
}
