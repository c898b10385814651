import { describe, expect, it } from "vitest";
import { atOnce, atOnceLabels } from "../../../../src/conformance/judges/concurrency/at-once.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import { type ExchangeDraft, makeExchange, wallMs } from "../../../make/exchanges/make-exchange.ts";
import { printJudge } from "../print-occurrences.ts";

const caseId = "core/at-once";
const verdicts = (...exchanges: readonly Exchange[]): readonly string[] =>
  printJudge(atOnce, exchanges).map((line) => line.split(":")[0] ?? "");

const embedding = (seq: number, label: string, vectors: readonly (readonly number[])[]): Exchange =>
  makeExchange({
    seq,
    caseId,
    label,
    endpoint: "embeddings",
    sent: { input: vectors.length === 1 ? "a" : vectors.map(String) },
    received: { data: vectors.map((vector, index) => ({ index, embedding: vector })) },
  });

const chat = (seq: number, label: string, draft: ExchangeDraft = {}): Exchange =>
  makeExchange({ seq, caseId, label, endpoint: "chat", ...draft });

describe("at-once (SVC-022)", () => {
  const one = atOnceLabels.embedding.label(1);
  const alone = embedding(1, atOnceLabels.alone.label(one), [[1, 0]]);

  it("knows the vectors of the same text, whatever their last digits", () => {
    expect(verdicts(alone, embedding(2, one, [[1, 0.01]]))).toEqual(["SVC-022 pass #2 #1"]);
    expect(verdicts(alone, embedding(2, one, [[0, 1]]))).toEqual(["SVC-022 fail #2 #1"]);
  });

  it("wants as many vectors as texts, each in its place", () => {
    const batch = atOnceLabels.batch.label(1);
    const vectors = [
      [1, 0],
      [0, 1],
    ];
    const both = embedding(1, atOnceLabels.alone.label(batch), vectors);
    expect(verdicts(both, embedding(2, batch, vectors))).toEqual(["SVC-022 pass #2 #1"]);
    expect(verdicts(both, embedding(2, batch, vectors.toReversed()))).toEqual(["SVC-022 fail #2 #1"]);
  });

  it("takes fewer prompt tokens for a cache and more for another prompt", () => {
    const counted = (seq: number, label: string, prompt: number): Exchange =>
      chat(seq, label, { received: { usage: { prompt_tokens: prompt, completion_tokens: 1, total_tokens: prompt + 1 } } });
    const label = atOnceLabels.chat.label(1);
    const first = counted(1, atOnceLabels.alone.label(label), 9);
    expect(verdicts(first, counted(2, label, 4))).toEqual(["SVC-022 pass #2 #1"]);
    expect(verdicts(first, counted(2, label, 12))).toEqual(["SVC-022 fail #2 #1"]);
  });
});

describe("at-once (RATE-039)", () => {
  const limited = (seq: number, label: string, remaining: number, resetSeconds = 60, draft: ExchangeDraft = {}): Exchange =>
    chat(seq, label, {
      sentMs: seq,
      endMs: seq + 1,
      headers: [
        ["x-ratelimit-limit-requests", "60"],
        ["x-ratelimit-remaining-requests", String(remaining)],
        ["x-ratelimit-reset-requests", String(wallMs / 1000 + resetSeconds)],
      ],
      ...draft,
    });
  const counted = (...exchanges: Exchange[]): readonly string[] =>
    verdicts(...exchanges).filter((line) => line.startsWith("RATE-039"));
  const before = [limited(1, atOnceLabels.alone.label("chat-0"), 59), limited(2, atOnceLabels.alone.label("chat-1"), 58)];
  const many = Array.from({ length: 10 }, (_, index) => limited(3 + index, atOnceLabels.chat.label(index), 57 - index));

  it("counts all of them, less what a limiter gives back meanwhile", () => {
    expect(counted(...before, ...many, limited(20, atOnceLabels.afterwards, 47))).toEqual(["RATE-039 pass #20 #2"]);
    expect(counted(...before, ...many, limited(20, atOnceLabels.afterwards, 49))).toEqual(["RATE-039 pass #20 #2"]);
    expect(counted(...before, ...many, limited(20, atOnceLabels.afterwards, 55))).toEqual(["RATE-039 fail #20 #2"]);
  });

  it("lets a log forget what was sent a window before, which comes back at once", () => {
    // So many requests of one burst, of which a log forgets all between the last request alone and the one afterwards.
    const earlier = (atMs: number): readonly Exchange[] =>
      Array.from({ length: 12 }, (_, index) =>
        makeExchange({
          ...limited(100 + index, "burst", 30),
          caseId: "core/earlier",
          endpoint: "chat",
          sentMs: atMs,
          endMs: atMs + 1,
        }),
      );
    const afterwards = (atMs: number): readonly string[] =>
      counted(...earlier(atMs), ...before, ...many, limited(20, atOnceLabels.afterwards, 55));
    expect(afterwards(10 - 60_000)).toEqual(["RATE-039 pass #20 #2"]);
    expect(afterwards(10 - 50_000)).toEqual(["RATE-039 fail #20 #2"]);
    const high = limited(13, atOnceLabels.chat.label(10), 60);
    const borrowed = verdicts(...earlier(10 - 60_000), ...before, ...many, high, limited(20, atOnceLabels.afterwards, 46));
    expect(borrowed.filter((line) => line.includes("#13"))).toEqual(["RATE-046 pass #13 #2 #20"]);
  });

  it("believes a moving reset where all are counted, and accuses nobody by it", () => {
    const afterwards = (remaining: number): readonly string[] =>
      counted(...before, ...many, limited(20, atOnceLabels.afterwards, remaining, 61));
    expect(afterwards(47)).toEqual(["RATE-039 pass #20 #2"]);
    expect(afterwards(49)).toEqual(["RATE-039 pass #20 #2"]);
    expect(afterwards(55)).toEqual([]);
  });

  it("compares within one window, and nothing where the number is rounded", () => {
    expect(counted(...before, ...many, limited(20, atOnceLabels.afterwards, 59, 120))).toEqual([]);
    const rounded = [limited(1, atOnceLabels.alone.label("chat-0"), 50), limited(2, atOnceLabels.alone.label("chat-1"), 50)];
    expect(counted(...rounded, ...many, limited(20, atOnceLabels.afterwards, 50))).toEqual([]);
  });

  it("knows on a slow machine that a window gives nothing back, and from a bucket what it may", () => {
    const slowly = (seq: number, label: string, remaining: number, sentMs: number, resetSeconds = 60): Exchange => ({
      ...limited(seq, label, remaining, resetSeconds),
      timing: { ...limited(seq, label, remaining).timing, sentMs, headersMs: sentMs + 20, endMs: sentMs + 20 },
    });
    const afterwards = (alone: readonly number[], remaining: number, resetSeconds: number): readonly string[] =>
      counted(
        ...alone.map((left, index) =>
          slowly(1 + index, atOnceLabels.alone.label(`chat-${index}`), left, 1500 * index, index * resetSeconds),
        ),
        ...many.map((one, index) => slowly(10 + index, one.label, 56, 4500, 2 * resetSeconds)),
        slowly(30, atOnceLabels.afterwards, remaining, 16_000, 2 * resetSeconds),
      );
    expect(afterwards([59, 58, 57], 46, 0)).toEqual(["RATE-039 pass #30 #3"]);
    expect(afterwards([59, 58, 57], 56, 0)).toEqual(["RATE-039 fail #30 #3"]);
    // A bucket: its reset moves.
    expect(afterwards([59, 58, 57], 56, 1)).toEqual([]);
    // One that gave something back: it may have given back all of them.
    expect(afterwards([59, 59, 58], 58, 0)).toEqual(["RATE-039 pass #30 #3"]);
  });

  it("holds the fields of each to the window of its own (RATE-046)", () => {
    const shown = (remaining: number, resetSeconds = 60, draft: ExchangeDraft = {}): readonly string[] => {
      const odd = limited(13, atOnceLabels.chat.label(10), remaining, resetSeconds, draft);
      return verdicts(...before, ...many, odd, limited(20, atOnceLabels.afterwards, 46)).filter((line) => line.includes("#13"));
    };
    expect(shown(47)).toEqual(["RATE-046 pass #13 #2 #20"]);
    expect(shown(20)).toEqual(["RATE-046 fail #13 #2 #20"]);
    expect(shown(60)).toEqual(["RATE-046 fail #13 #2 #20"]);
    expect(shown(47, 90)).toEqual(["RATE-046 fail #13 #2 #20"]);
    // An instance that learns each second of the requests to another, and a refusal by a burst limit.
    expect(shown(59)).toEqual(["RATE-046 pass #13 #2 #20"]);
    expect(shown(0, 30, { status: 429 })).toEqual([]);
  });
});
