import { expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { viewBurst } from "../../../src/limits/burst/burst-view.ts";
import { checkQueue } from "../../../src/limits/burst/queue-checks.ts";
import type { SettingChange } from "../../../src/limits/history/burst-settings.ts";
import { readHistory } from "../../../src/limits/history/history.ts";
import { tolerancesFor } from "../../../src/limits/history/tolerances.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { simulatedManifest } from "../simulation/exam.ts";

const manifest = simulatedManifest(600);
const tolerances = tolerancesFor(manifest);
const settings = { burst_limit: 10, cooldown_seconds: 65 };
const changes: readonly SettingChange[] = [{ seq: 1, subject: "key:primary", sentMs: 0, answeredMs: 5, settings }];

interface Answered {
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly status?: number;
  /** Default `volley`. */
  readonly phase?: "volley" | "volley-calm" | "other-key";
}

/** Verdicts of the checks of the queue, by id: ten requests are served at once, these follow; answers are read so late at most. */
function judged(held: readonly Answered[], lateMs: number): Readonly<Record<string, string>> {
  const served = Array.from({ length: 10 }, (_, index): Answered => ({ sentMs: 1000 + index, answeredMs: 1010 + index }));
  const exchanges = [...served, ...held].map(({ sentMs, answeredMs, status = 200, phase = "volley" }, index): Exchange => {
    const intent = { kind: "limit", policy: "burst", phase } as const;
    const keyName = phase === "other-key" ? "secondary" : "primary";
    const head = { seq: index + 2, sentMs, stage: "limits", keyName, endpoint: "models", status, intent } as const;
    const exchange = makeExchange(head);
    return { ...exchange, timing: { ...exchange.timing, headersMs: answeredMs, endMs: answeredMs, lateMs } };
  });
  const history = readHistory(exchanges, tolerances);
  const bySeq = new Map<number, Exchange>(exchanges.map((exchange) => [exchange.seq, exchange]));
  const view = viewBurst("primary", { history, changes, tolerances, manifest, exchanges, bySeq })!;
  return Object.fromEntries(checkQueue(view).map(({ id, verdict }) => [id, verdict]));
}

const answeredAt = (answeredMs: number): readonly Answered[] =>
  Array.from({ length: 12 }, (_, index) => ({ sentMs: 1100 + index, answeredMs: answeredMs + index }));

/** The other key is served while requests wait. */
const servedAt = (sentMs: number): Answered => ({ sentMs, answeredMs: sentMs + 10, phase: "other-key" });

it("accuses a queue of lateness only where the instrument cannot have been late by as much", () => {
  const watched = [...answeredAt(131_000), servedAt(100_000)];
  expect(judged(watched, 0)["queue.released-late"]).toBe("fail");
  expect(judged(watched, 15_000)["queue.released-late"]).toBe("fail");
  expect(judged(watched, 30_000)["queue.released-late"]).not.toBe("fail");
});

it("takes refusals for those of a full queue where its length explains all of them", () => {
  const queued = answeredAt(66_100);
  const refused = [{ sentMs: 20_000, answeredMs: 20_010, status: 429 }];
  expect(judged([...queued, ...refused], 0)["queue.mixed-with-refusals"]).toBe("pass");
  const later = [{ sentMs: 40_000, answeredMs: 66_200 }];
  expect(judged([...queued, ...refused, ...later], 0)["queue.mixed-with-refusals"]).toBe("advisory");
});

it("decides by the rounds that were held once more after a stall of the whole service", () => {
  const beside = { sentMs: 5000, answeredMs: 131_000, phase: "other-key" } as const;
  const stalled = [...answeredAt(131_000), beside];
  expect(judged(stalled, 0)["queue.released-late"]).toBe("inconclusive");
  const roundAt = (heldMs: number): readonly Answered[] =>
    Array.from({ length: 22 }, (_, index) => ({
      sentMs: 400_000 + index,
      answeredMs: 400_010 + index + (index < 10 ? 0 : heldMs),
      phase: "volley-calm",
    }));
  expect(judged([...stalled, ...roundAt(65_000)], 0)["queue.released-late"]).toBe("pass");
  expect(judged([...stalled, ...roundAt(130_000), servedAt(500_000)], 0)["queue.released-late"]).toBe("fail");
});
