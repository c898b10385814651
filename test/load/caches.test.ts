import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/core/clock.ts";
import type { CacheAudit } from "../../src/core/result/cache-count.ts";
import { judgeCacheAudit } from "../../src/load/judge/judge-cache-audit.ts";
import { auditCache } from "../../src/run/stages/audit-cache.ts";
import { createRealClock } from "../../src/wire/clock/real-clock.ts";
import { createWire } from "../../src/wire/client/wire.ts";
import { chunkEvent, manifestFor, startTarget } from "../make/load/load-target.ts";
import { runAgainst, shortProfile } from "../make/load/run-against.ts";

interface Behaviour {
  readonly known?: Set<string>;
  /** From the request to its first token, of a prompt that is new and of one that is known. */
  readonly prefillMs?: readonly [fresh: number, known: number];
  readonly decodeMs?: readonly [fresh: number, known: number];
  readonly id?: (prompt: string, isKnown: boolean) => string;
  readonly headers?: (isKnown: boolean) => Readonly<Record<string, string>>;
}

interface ChatBody {
  readonly messages: readonly { readonly content: string }[];
}

let audits = 0;

/** The verdict of the audit on a server that answers so, and that knows these prompts of before. Time passes as that says. */
async function audit({
  known = new Set(),
  prefillMs = [5, 5],
  decodeMs = [20, 20],
  id = () => randomUUID(),
  headers = () => ({}),
}: Behaviour): Promise<CacheAudit> {
  audits += 1;
  const startedMs = 1_790_000_000_000 + 3_600_000 * audits;
  let atMs = 0;
  const pass = (ms: number): void => void (atMs += ms);
  const clock: Clock = { nowMs: () => atMs, wallMs: () => startedMs + atMs, sleep: async (ms) => pass(ms) };
  const answer = (prompt: string, response: ServerResponse): void => {
    const isKnown = known.has(prompt);
    known.add(prompt);
    const of = ([fresh, again]: readonly [number, number]): number => (isKnown ? again : fresh);
    pass(of(prefillMs));
    response.writeHead(200, { "content-type": "text/event-stream", ...headers(isKnown) });
    const head = { id: id(prompt, isKnown), created: 1 };
    response.write(chunkEvent({ content: "one " }, head));
    pass(of(decodeMs));
    response.write(chunkEvent({ content: "two" }, head));
    response.end(`${chunkEvent({}, { ...head, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}data: [DONE]\n\n`);
  };
  const target = await startTarget(({ body }, response) => answer((body as ChatBody).messages[0]?.content ?? "", response));
  const manifest = manifestFor(target.baseUrl);
  const wire = createWire({ manifest, clock });
  try {
    const profile = shortProfile({ cacheAudit: true, workload: [{ endpoint: "chat", sharedPrefixTokens: 64 }] });
    return judgeCacheAudit(await auditCache({ profile, manifest, sender: wire, clock, seed: 3 }));
  } finally {
    await wire.close();
    await target.close();
  }
}

const ids = new Map<string, string>();
const idOf = (prompt: string): string => {
  const known = ids.get(prompt) ?? randomUUID();
  ids.set(prompt, known);
  return known;
};

describe.concurrent("the audit for a cache of responses", () => {
  it("names a target that sends the same answer again", async () => {
    expect(await audit({ id: idOf })).toMatchObject({
      verdict: "cached",
      signs: ["3 of 3 repeated answers have the id of the first one"],
      fresh: { requests: 6 },
      repeated: { requests: 3 },
    });
  });

  it("names one by the fields of an HTTP cache, and by answers in no time", async () => {
    const fields = await audit({ headers: (isKnown) => (isKnown ? { age: "2" } : {}) });
    expect(fields).toMatchObject({ verdict: "cached", signs: ["repeated answers have the field age: 2, fresh ones have not"] });
    const quick = await audit({ prefillMs: [300, 1], decodeMs: [600, 1] });
    expect(quick.signs).toEqual([expect.stringMatching(/^every repeated answer took at most/)]);
  });

  it("asks no prompt of an audit before: a cache that lasts holds those", async () => {
    const known = new Set<string>();
    const headers = (isKnown: boolean): Readonly<Record<string, string>> => (isKnown ? { age: "2" } : {});
    expect(await audit({ known, headers })).toMatchObject({ verdict: "cached" });
    expect(await audit({ known, headers })).toMatchObject({ verdict: "cached" });
    expect(known.size).toBe(12);
  });

  it("accuses no prefix cache, no constant id, and no proxy that marks every answer", async () => {
    expect(await audit({ prefillMs: [100, 1], decodeMs: [200, 200] })).toMatchObject({ verdict: "not-cached", signs: [] });
    expect(await audit({ id: () => "chatcmpl" })).toMatchObject({ verdict: "not-cached" });
    expect(await audit({ headers: () => ({ age: "0", "x-cache": "HIT" }) })).toMatchObject({ verdict: "not-cached" });
  });
});

it("ends when it is aborted, and shows nothing then", async () => {
  const abort = new AbortController();
  const target = await startTarget((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
    if (target.seen.length === 2) abort.abort();
  });
  const manifest = manifestFor(target.baseUrl);
  const clock = createRealClock();
  const wire = createWire({ manifest, clock });
  try {
    const input = { profile: shortProfile({ cacheAudit: true }), manifest, sender: wire, clock, seed: 3, signal: abort.signal };
    expect(await auditCache(input)).toEqual([]);
    expect(target.seen).toHaveLength(2);
  } finally {
    await wire.close();
    await target.close();
  }
});

it("says nothing of an audit that was not answered", () => {
  expect(judgeCacheAudit([])).toMatchObject({ verdict: "unclear" });
});

it("counts the cached tokens of prompts by turn and by conversation", async () => {
  const result = await runAgainst(
    ({ body }, response) => {
      const { messages } = body as ChatBody;
      const [prompt_tokens, cached_tokens] = [100 * messages.length, 100 * (messages.length - 1)];
      const usage = {
        prompt_tokens,
        completion_tokens: 1,
        total_tokens: prompt_tokens + 1,
        prompt_tokens_details: { cached_tokens },
      };
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        `${chunkEvent({ content: "word" })}${chunkEvent({}, { choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage })}data: [DONE]\n\n`,
      );
    },
    { arrivals: { kind: "sessions", ratePerSecond: 10, turns: 3, thinkSeconds: 0.01 }, durationSeconds: 1 },
  );
  const { cache } = result;
  expect(cache?.turns.map(({ turn, promptTokens, cachedTokens }) => [turn, cachedTokens / promptTokens])).toEqual([
    [1, 0],
    [2, 2 / 3],
    [3, 4 / 5],
  ]);
  expect(cache?.sessions).toEqual({
    count: cache?.sessions?.count,
    hit: cache?.sessions?.count,
    hitAlways: cache?.sessions?.count,
  });
  expect(cache?.sessions?.count).toBeGreaterThan(1);
});
