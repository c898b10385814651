import { describe, expect, it } from "vitest";
import { runExam } from "../../make/run-exam.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { judgeLimits, type LimitsJudgement } from "../../../src/limits/exam/judge-limits.ts";
import { startReferenceService } from "../../../src/reference/start-reference-service.ts";
import { createWire } from "../../../src/wire/client/wire.ts";
import { workingDayMs } from "../../make/working-day.ts";
import { createHandClock } from "../sockets/hand-clock.ts";

/** The whole exam over sockets against the reference service, whose clock is moved by hand. */
async function examine(): Promise<LimitsJudgement> {
  const service = await startReferenceService({ clock: { kind: "manual", startMs: workingDayMs + 20_000 } });
  const { manifest } = service;
  const exchanges: Exchange[] = [];
  const clock = createHandClock(service.engine.clock);
  const wire = createWire({ manifest, clock, onExchange: (exchange) => exchanges.push(exchange) });
  const pending = new Set<string>();
  try {
    const run = await runExam({ manifest, sender: wire, clock }, 1, {
      journal: { record: ({ subject }) => pending.add(subject), complete: ({ subject }) => pending.delete(subject) },
    });
    expect(run.stopped).toBeNull();
  } finally {
    await wire.close();
    await service.close();
  }
  expect([...pending]).toEqual([]);
  return judgeLimits({ exchanges, manifest, strict: false });
}

// Its variants and mutants are examined by kill-table.switches.test.ts.
describe("the exam against the reference service", () => {
  it("finds nothing on the service itself and judges every policy", async () => {
    const judged = await examine();
    expect(judged.findings).toEqual([]);
    expect(judged.result.policies.map(({ kind, verdict }) => `${kind} ${verdict}`)).toEqual([
      // The list of models in depth, then chat, embeddings and transcriptions by a short drain each.
      "requests pass",
      "requests pass",
      "requests pass",
      "requests pass",
      // Chat, and embeddings by one charge.
      "tokens pass",
      "tokens pass",
      "burst pass",
      "burst pass",
      "key-cap pass",
      "account-cap pass",
    ]);
    expect(judged.result.policies[0]?.tier).toBe("consistent");
    expect(judged.result.policies[0]?.identification?.survivors[0]?.family).toBe("fixed-window");
    const passed = new Set(judged.occurrences.filter(({ outcome }) => outcome === "pass").map(({ requirement }) => requirement));
    for (const row of [
      "RATE-018",
      "RATE-019",
      "RATE-025",
      "RATE-026",
      "RATE-032",
      "RATE-039",
      "BURST-003",
      "BURST-004",
      "BURST-009",
      "SPEND-001",
      "SPEND-008",
      "SPEND-010",
      "KEY-011",
      "ACC-004",
    ]) {
      expect(passed).toContain(row);
    }
  });
});
