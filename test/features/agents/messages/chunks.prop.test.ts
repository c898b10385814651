import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Chunk } from "../../../../src/features/agents/messages/chunk.ts";
import { ChunkError, createInbox } from "../../../../src/features/agents/messages/inbox.ts";
import { createOutbox } from "../../../../src/features/agents/messages/outbox.ts";
import { runsOf } from "../../../make/runner/sample.ts";

const payloads = fc.array(fc.string(), { minLength: 1, maxLength: 60 });

describe("chunks", () => {
  it("arrive once and in order, however often, late and shuffled they are carried", () => {
    fc.assert(
      fc.property(payloads, fc.infiniteStream(fc.nat()), (sent, dice) => {
        const carried: Chunk[] = [];
        const outbox = createOutbox({ send: (chunk) => carried.push(chunk), mostBytes: Infinity });
        const delivered: string[] = [];
        const inbox = createInbox((payload) => delivered.push(payload));
        for (const payload of sent) expect(outbox.post(payload)).toBe(true);
        const next = (bound: number): number => dice.next().value! % bound;
        // Some are lost, doubled or overtaken; the acknowledgement may be lost, too.
        for (let round = 0; round < 500 && outbox.unacknowledged > 0; round += 1) {
          const way = carried.splice(0).flatMap((chunk) => Array.from({ length: next(3) }, () => chunk));
          for (let at = way.length - 1; at > 0; at -= 1) {
            const other = next(at + 1);
            [way[at], way[other]] = [way[other]!, way[at]!];
          }
          for (const chunk of way) inbox.take(chunk);
          if (next(2) === 0) outbox.acknowledge(inbox.received);
          outbox.repeat();
        }
        expect(delivered).toEqual(sent);
        expect(outbox.heldBytes).toBe(0);
      }),
      { numRuns: runsOf(200) },
    );
  });

  it("that were changed, cut out or taken from elsewhere are not taken", () => {
    fc.assert(
      fc.property(payloads, fc.nat(), fc.string({ minLength: 1 }), (sent, place, extra) => {
        const carried: Chunk[] = [];
        const outbox = createOutbox({ send: (chunk) => carried.push(chunk), mostBytes: Infinity });
        for (const payload of [...sent, "last"]) outbox.post(payload);
        const at = place % sent.length;
        const delivered: string[] = [];
        const inbox = createInbox((payload) => delivered.push(payload));
        const deliver = (): void => {
          for (const [index, chunk] of carried.entries()) {
            inbox.take(index === at ? { ...chunk, payload: chunk.payload + extra } : chunk);
          }
        };
        expect(deliver).toThrow(ChunkError);
        expect(delivered).not.toContain("last");
      }),
    );
  });

  it("are refused when more would be held than may be", () => {
    const outbox = createOutbox({ send: () => {}, mostBytes: 10 });
    expect(outbox.post("x".repeat(30))).toBe(true);
    expect(outbox.post("y")).toBe(false);
    outbox.acknowledge(1);
    expect(outbox.post("y")).toBe(true);
    expect(outbox.heldBytes).toBe(1);
  });

  it("that are early are held up to a bound, and taken when they are repeated", () => {
    const carried: Chunk[] = [];
    const outbox = createOutbox({ send: (chunk) => carried.push(chunk), mostBytes: Infinity });
    for (let number = 0; number < 1000; number += 1) outbox.post(`${number}`);
    const delivered: string[] = [];
    const inbox = createInbox((payload) => delivered.push(payload));
    for (const chunk of carried.slice(1)) inbox.take(chunk);
    expect(delivered).toEqual([]);
    inbox.take(carried[0]!);
    expect(inbox.received).toBe(257);
    for (const chunk of carried) inbox.take(chunk);
    expect(inbox.received).toBe(1000);
  });
});
