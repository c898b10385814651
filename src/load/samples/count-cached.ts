import type { CacheCount, CachedTokens } from "../../core/result/cache-count.ts";
import type { LoadRecord } from "./load-record.ts";

/** Later ones are counted in the sum alone. */
const mostTurns = 20;

/** How much of the prompts a cache of the target held, as its answers report it; null where none does. */
export function countCached(records: readonly LoadRecord[]): CacheCount | null {
  const all = noTokens();
  const turns = new Map<number, OpenTokens>();
  const sessions = new Map<number, { hit: boolean; always: boolean }>();
  for (const { outcome, promptTokens, cachedTokens, session, turn } of records) {
    if ((outcome !== "ok" && outcome !== "left") || promptTokens === null || cachedTokens === null) continue;
    add(all, promptTokens, cachedTokens);
    if (turn === null || session === null) continue;
    const ofTurn = turns.get(turn) ?? noTokens();
    turns.set(turn, ofTurn);
    add(ofTurn, promptTokens, cachedTokens);
    if (turn === 1) continue;
    const seen = sessions.get(session) ?? { hit: false, always: true };
    sessions.set(session, { hit: seen.hit || cachedTokens > 0, always: seen.always && cachedTokens > 0 });
  }
  if (all.requests === 0) return null;
  const later = [...sessions.values()];
  return {
    ...all,
    turns: [...turns]
      .toSorted(([one], [other]) => one - other)
      .slice(0, mostTurns)
      .map(([turn, tokens]) => ({ turn, ...tokens })),
    sessions:
      later.length === 0
        ? null
        : {
            count: later.length,
            hit: later.filter(({ hit }) => hit).length,
            hitAlways: later.filter(({ always }) => always).length,
          },
  };
}

type OpenTokens = { -readonly [Member in keyof CachedTokens]: CachedTokens[Member] };

function noTokens(): OpenTokens {
  return { requests: 0, promptTokens: 0, cachedTokens: 0 };
}

function add(into: OpenTokens, promptTokens: number, cachedTokens: number): void {
  into.requests += 1;
  into.promptTokens += promptTokens;
  into.cachedTokens += cachedTokens;
}
