import { createParser } from "eventsource-parser";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import {
  startReferenceService,
  type ReferenceService,
  type ReferenceServiceOptions,
} from "../../../src/reference/start-reference-service.ts";
import { ask, chatBody, open } from "./service-client.ts";

const chat = "/v1/chat/completions";
const startMs = Date.UTC(2026, 10, 21, 9);
const day = "/v1/usage?from=2026-11-21T00:00:00Z&to=2026-11-22T00:00:00Z";

interface Streamed {
  readonly text: string;
  readonly data: readonly string[];
}

describe("streams of the reference service", () => {
  let service: ReferenceService;
  afterEach(() => service.close());
  const start = async (options: ReferenceServiceOptions = {}): Promise<void> => {
    service = await startReferenceService({ clock: { kind: "manual", startMs }, ...options });
  };

  const stream = async (
    members: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Streamed> => {
    const { text } = await ask(service, chat, { body: chatBody({ stream: true, ...members }), headers });
    const data: string[] = [];
    // Only what follows states whether a CR at the very end was a line end of its own.
    createParser({ onEvent: (event) => data.push(event.data) }).feed(`${text}\n`);
    return { text, data };
  };
  const contentOf = ({ data }: Streamed): string =>
    data
      .filter((one) => one !== "[DONE]")
      .map((one) => (JSON.parse(one) as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content ?? "")
      .join("");

  it("sends role, content, finish, usage and end, in that order", async () => {
    await start();
    const { data } = await stream({
      messages: [{ role: "user", content: "Write 3 words" }],
      stream_options: { include_usage: true },
    });
    expect(data).toHaveLength(7);
    const chunks = data
      .slice(0, -1)
      .map((one) => JSON.parse(one) as { choices: { delta: object; finish_reason: unknown }[]; usage: unknown });
    expect(chunks[0]?.choices[0]?.delta).toMatchObject({ role: "assistant" });
    expect(chunks.map(({ choices }) => choices[0]?.finish_reason)).toEqual([null, null, null, null, "stop", undefined]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 3 } });
    expect(data.at(-1)).toBe("[DONE]");
  });

  const spellings = [
    "stream/crlf",
    "stream/cr",
    "stream/byte-order-mark",
    "stream/comments",
    "stream/ids",
    "stream/retry",
    "stream/no-space",
    "stream/multi-line",
    "stream/named-events",
    "stream/byte-chunks",
    "stream/split-characters",
    "stream/cut-events",
    "stream/tokens-by-three",
    "stream/buffered",
    "transport/extra-members",
    "transport/close-per-response",
    "stream/role-with-first-token",
  ];
  it.each([
    ...spellings.map((variant) => [variant, { kind: "manual", startMs }] as const),
    // Jitter takes time, so its clock flows.
    ["transport/latency-jitter", "real"] as const,
  ])("reads the same with %s", async (variant, clock) => {
    const messages = [{ role: "user", content: "Write 60 words" }];
    await start({ clock, variants: [variant] });
    const varied = await stream({ messages });
    await service.close();
    await start();
    expect(contentOf(varied)).toBe(contentOf(await stream({ messages })));
    expect(varied.data.at(-1)).toBe("[DONE]");
  });

  it("ends writes within events with stream/cut-events", async () => {
    await start({ variants: ["stream/cut-events"] });
    const response = await open(service, chat, {
      body: chatBody({ stream: true, messages: [{ role: "user", content: "Write 60 words" }] }),
    });
    const pieces: string[] = [];
    for await (const piece of response) pieces.push(String(piece));
    expect(pieces.length).toBeGreaterThan(10);
    expect(pieces.filter((piece) => !piece.endsWith("\n\n")).length).toBeGreaterThan(pieces.length / 2);
  });

  it("writes three tokens at a time with stream/tokens-by-three, and what is left of them at the end", async () => {
    await start({ clock: "real", latency: "realistic", variants: ["stream/tokens-by-three"] });
    const response = await open(service, chat, {
      body: chatBody({ stream: true, max_tokens: 7, messages: [{ role: "user", content: "Write 60 words" }] }),
    });
    const tokens: number[] = [];
    for await (const piece of response) tokens.push(String(piece).split('"content":"').length - 1);
    // The role has an empty content. More than three leave together where this machine is late.
    expect(tokens[0]).toBe(1);
    expect(tokens.slice(1, -2).filter((count) => count < 3)).toEqual([]);
    expect(tokens.reduce((sum, count) => sum + count, 0)).toBe(8);
  });

  it("delivers a long answer in parts even without any latency", async () => {
    await start();
    const response = await open(service, chat, {
      body: chatBody({ stream: true, messages: [{ role: "user", content: "a long story" }] }),
    });
    const arrivals: number[] = [];
    for await (const _ of response) arrivals.push(performance.now());
    expect(arrivals.length).toBeGreaterThan(3);
    expect(arrivals.at(-1)! - arrivals[0]!).toBeGreaterThan(20);
  });

  it("bills an aborted stream for what was produced, and stops producing", async () => {
    await start({ latency: "realistic" });
    const response = await open(service, chat, {
      body: chatBody({ stream: true, messages: [{ role: "user", content: "Write 100 words" }] }),
    });
    response.resume();
    await service.engine.clock.advance(400);
    const [before] = [service.engine.latency.load().running];
    response.destroy();
    await once(response, "close");
    await expect.poll(() => service.engine.latency.load().running).toBe(0);
    await service.engine.clock.advance(60_000);
    const { aggregate } = (await ask(service, day)).json() as { aggregate: { total_tokens: number } };
    expect(before).toBe(1);
    // The prompt has 9 tokens: what is above them was written before the client left, and it is far from 100.
    expect(aggregate.total_tokens).toBeGreaterThan(9 + 10);
    expect(aggregate.total_tokens).toBeLessThan(9 + 50);
  });

  it("keeps a report that is the sum of every answer, streams and batches included", async () => {
    await start();
    let total = 0;
    for (const members of [{}, { max_tokens: 3 }, { stream: true, stream_options: { include_usage: true } }]) {
      const { text } = await ask(service, chat, { body: chatBody(members) });
      total += Number(/"total_tokens":(\d+)/.exec(text)?.[1]);
    }
    const batch = await ask(service, "/v1/embeddings", { body: { model: "reference-embedding", input: ["one", "two three"] } });
    total += (batch.json()["usage"] as { total_tokens: number }).total_tokens;
    const report = (await ask(service, day)).json() as { aggregate: { total_tokens: number }; data: { total_tokens: number }[] };
    expect(report.aggregate.total_tokens).toBe(total);
    expect(report.data.reduce((sum, bucket) => sum + bucket.total_tokens, 0)).toBe(total);
  });

  it("stamps each event with its own monotonic time when it is asked to", async () => {
    await start({ clock: "real" });
    const before = process.hrtime.bigint();
    const { data } = await stream({}, { "x-reference-stamp": "1" });
    const after = process.hrtime.bigint();
    const stamps = data.slice(0, -1).map((one) => JSON.parse(one) as { received_ns: number; stamp_ns: number });
    expect(
      stamps.every(({ received_ns, stamp_ns }) => before <= received_ns && received_ns <= stamp_ns && stamp_ns <= after),
    ).toBe(true);
    expect(stamps.every(({ stamp_ns }, index) => index === 0 || stamp_ns >= stamps[index - 1]!.stamp_ns)).toBe(true);
  });

  it("paces tokens by absolute deadlines, and reports the truth about them in server-timing", async () => {
    await start({ clock: "real", latency: "realistic", serverTiming: true });
    const startedMs = performance.now();
    const response = await open(service, chat, {
      body: chatBody({ stream: true, messages: [{ role: "user", content: "Write 20 words" }] }),
    });
    for await (const _ of response);
    const elapsedMs = performance.now() - startedMs;
    const timing = String(response.headers["server-timing"]);
    const statedMs = [...timing.matchAll(/dur=([\d.]+)/g)].reduce((sum, [, ms]) => sum + Number(ms), 0);
    expect(statedMs).toBeGreaterThan(150);
    expect(elapsedMs).toBeGreaterThanOrEqual(statedMs - 2);
    expect(elapsedMs).toBeLessThan(statedMs + 60_000);
  });

  it("ends open streams and connections at once when it is closed", async () => {
    await start({ latency: "realistic" });
    const response = await open(service, chat, {
      body: chatBody({ stream: true, messages: [{ role: "user", content: "Write 2000 words" }] }),
    });
    const ended = new Promise((resolve) => response.once("close", resolve));
    response.on("error", () => undefined).resume();
    const startedMs = performance.now();
    await service.close();
    await ended;
    // Its clock stands still: by itself the stream would never end.
    expect(performance.now() - startedMs).toBeLessThan(60_000);
  });
});
