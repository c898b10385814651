import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventLog } from "../../../src/wire/capture/event-log.ts";
import { anyCodePoints } from "../../make/hostile/any-code-points.ts";
import { runsOf } from "../../make/runner/sample.ts";

const microseconds = fc.integer({ min: 0, max: 10_000_000_000 });
const text = fc.oneof(
  anyCodePoints({ maxLength: 40 }),
  fc.string({ maxLength: 12 }).map((word) => `{"choices":[{"delta":{"content":${JSON.stringify(word)}}}],"at":"\u{1f600}"}`),
  // Half a pair: what differs between two texts may begin within a character.
  fc.constantFrom("", "\ud83d", "\ude00", "\u{1f600}\u{1f601}", "\u{1f601}\u{1f601}", "a".repeat(20_000)),
);
const event = fc.record({
  atUs: microseconds,
  earlierUs: microseconds,
  latestUs: microseconds,
  read: fc.nat(),
  text,
  name: fc.option(text, { nil: undefined }),
  id: fc.option(text, { nil: undefined }),
});

function stampOf({ atUs, earlierUs, latestUs, read }: { atUs: number; earlierUs: number; latestUs: number; read: number }) {
  return { read, atMs: atUs / 1000, earliestMs: (atUs - earlierUs) / 1000, latestMs: latestUs / 1000 };
}

describe("the log of the events of a stream", () => {
  it("gives back every event as it came, to the microsecond", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const log = new EventLog(() => true);
        for (const one of events) expect(log.add(stampOf(one), one.text, one.name, one.id)).toBe(true);
        expect(log.count).toBe(events.length);
        expect(log.list((shown) => shown)).toEqual(
          events.map((one) => ({
            ...stampOf(one),
            event: one.name ?? "message",
            data: one.text,
            ...(one.id === undefined ? {} : { id: one.id }),
          })),
        );
      }),
      { numRuns: runsOf(300) },
    );
  });

  it("takes some 20 bytes for a chunk of a chat, and asks for each byte before it takes it", () => {
    let taken = 0;
    const log = new EventLog((bytes) => {
      taken += bytes;
      return true;
    });
    const words = ["the", " quick", " brown", " fox", " jumps", " over", " lazy", " dogs", ",", " \u00e9t\u00e9"];
    for (let place = 0; place < 5000; place += 1) {
      const atMs = 1000 + 20 * place + (place % 7) / 1000;
      const chunk = {
        id: "chatcmpl-9f8e7d6c5b4a39281706f5e4d3c2b1a0",
        object: "chat.completion.chunk",
        created: 1_700_000_000,
        model: "a model of some name",
        choices: [{ index: 0, delta: { content: words[place % words.length] }, logprobs: null, finish_reason: null }],
      };
      log.add({ read: place, atMs, earliestMs: atMs - 0.3, latestMs: atMs }, JSON.stringify(chunk), undefined, undefined);
    }
    expect(taken / 5000).toBeLessThan(22);
    const full = new EventLog(() => false);
    expect(full.add({ read: 0, atMs: 0, earliestMs: 0, latestMs: 0 }, "text", undefined, undefined)).toBe(false);
    expect(full.list((shown) => shown)).toEqual([]);
  });

  it("masks what it gives out", () => {
    const log = new EventLog(() => true);
    for (const name of [undefined, "secret"])
      log.add({ read: 0, atMs: 1, earliestMs: 1, latestMs: 1 }, "a secret", name, "secret");
    expect(JSON.stringify(log.list((shown) => shown.replaceAll("secret", "***")))).not.toContain("secret");
  });
});
