import type { Manifest } from "../../../src/core/manifest.ts";
import { type LoadTarget, manifestFor, startTarget } from "../../make/load/load-target.ts";

/** A target that answers at once and notes when chat requests come. */
export async function startWatchedTarget(arrivals: ArrivalWatch): Promise<LoadTarget & { chats(): readonly string[] }> {
  const target = await startTarget(({ path }, response) => {
    if (path.includes("/chat/")) arrivals.note();
    const body = path.includes("/models") ? '{"object":"list","data":[]}' : '{"choices":[]}';
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  });
  const chats = () => target.seen.filter(({ path }) => path.includes("/chat/")).map(({ body }) => JSON.stringify(body));
  return { ...target, chats };
}

export function boundedManifest({ baseUrl }: LoadTarget, permitted: number, maxRequests: number): Manifest {
  return manifestFor(baseUrl, {
    permissions: { ...manifestFor(baseUrl).permissions, loadUpToRps: permitted },
    budget: { maxRequests, maxTokens: null, maxCostUsd: null },
  });
}

/** Instants at which requests came to a target of this process, as intervals: a loop that is held up reads late. */
export interface ArrivalWatch {
  note(): void;
  /** Resolves when the first has come. */
  readonly first: Promise<void>;
  readonly count: number;
  readonly firstMs: number;
  /** Instant before which the last one certainly had not come. */
  readonly lastMs: number;
  /** Most requests that certainly came within so long. */
  most(windowMs: number): number;
  stop(): void;
}

const tickMs = 2;

export function watchArrivals(): ArrivalWatch {
  const earliest: number[] = [];
  const latest: number[] = [];
  // Bytes that are read now came after the poll before the last one; on a new connection, which one poll accepts and the next
  // one reads, after the one before that. A timer ran between any two of these.
  const begun = performance.now();
  const turns: [number, number, number] = [begun, begun, begun];
  const timer = setInterval(() => {
    turns.shift();
    turns.push(performance.now());
  }, tickMs);
  let begin = (): void => {};
  const first = new Promise<void>((resolve) => {
    begin = resolve;
  });
  return {
    first,
    note() {
      begin();
      earliest.push(turns[0]);
      latest.push(performance.now());
    },
    get count() {
      return latest.length;
    },
    get firstMs() {
      return latest[0] ?? Infinity;
    },
    get lastMs() {
      return earliest.at(-1) ?? -Infinity;
    },
    most(windowMs) {
      const within = (fromMs: number): number =>
        latest.filter((atMs, index) => (earliest[index] ?? 0) >= fromMs && atMs < fromMs + windowMs).length;
      return earliest.reduce((most, fromMs) => Math.max(most, within(fromMs)), 0);
    },
    stop: () => clearInterval(timer),
  };
}
