import type { IncrementResponse, Store } from "express-rate-limit";
import { setTimeout as delay } from "node:timers/promises";
import { serveExpress } from "./express-peer.ts";
import { peerLimits, serveFlexible, type Peer } from "./lawful-peers.ts";
import type { PeerLimits } from "./peer-service.ts";

/** A package of others with one mistake of the kind that integrations make. */
export interface BrokenPeer extends Pick<Peer, "id" | "limits" | "start"> {
  /** Checks of which at least one must fail. */
  readonly found: readonly string[];
}

/** The exam pauses before it takes the last request that remains: the window must outlast that. */
const wideLimits: PeerLimits = { limit: 30, windowMs: 16_000 };

export const brokenPeers: readonly BrokenPeer[] = [
  {
    id: "express-rate-limit over a store that gets, then sets",
    limits: peerLimits,
    found: ["limits.lost-updates", "limits.over-admission"],
    start: () => serveExpress({ ...peerLimits, store: createRacingStore(peerLimits.windowMs) }),
  },
  {
    id: "three express-rate-limit stores behind round robin",
    limits: peerLimits,
    found: ["limits.over-admission", "limits.lost-updates"],
    start: () => serveExpress(peerLimits, undefined, 3),
  },
  {
    id: "rate-limiter-flexible that grants two more than it states",
    limits: wideLimits,
    found: ["limits.over-admission", "limits.lost-updates"],
    start: () => serveFlexible(wideLimits, 2),
  },
  {
    id: "express-rate-limit whose refusals say Retry-After 0",
    limits: peerLimits,
    found: ["limits.retry-after-too-short"],
    start: () => serveExpress(peerLimits, (decision) => ({ ...decision, retryMs: 0 })),
  },
];

/** A remote store as it is often written: read the count, write it back a round trip later. */
function createRacingStore(windowMs: number): Store {
  const counts = new Map<string, { readonly hits: number; readonly resetMs: number }>();
  const read = (key: string): { readonly hits: number; readonly resetMs: number } => {
    const known = counts.get(key);
    return known !== undefined && known.resetMs > Date.now() ? known : { hits: 0, resetMs: Date.now() + windowMs };
  };
  return {
    async increment(key): Promise<IncrementResponse> {
      const { hits, resetMs } = read(key);
      await delay(3);
      counts.set(key, { hits: hits + 1, resetMs });
      return { totalHits: hits + 1, resetTime: new Date(resetMs) };
    },
    decrement: () => undefined,
    resetKey: (key) => {
      counts.delete(key);
    },
  };
}
