import { expect, it } from "vitest";
import type { SettingChange } from "../../../src/limits/history/burst-settings.ts";
import { viewBurst } from "../../../src/limits/burst/burst-view.ts";
import { checkQueue } from "../../../src/limits/burst/queue-checks.ts";
import { readHistory } from "../../../src/limits/history/history.ts";
import { tolerancesFor } from "../../../src/limits/history/tolerances.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { simulatedManifest } from "../simulation/exam.ts";

const manifest = simulatedManifest(600);
const tolerances = tolerancesFor(manifest);
const settings = { burst_limit: 10, cooldown_seconds: 65 };
const changes: readonly SettingChange[] = [{ seq: 1, subject: "key:primary", sentMs: 0, answeredMs: 5, settings }];

/** Ten requests of a volley are served, five more are waited for so long and never answered. */
function judged(waitedMs: number): string {
  const intent = { kind: "limit", policy: "burst", phase: "volley" } as const;
  const failure = { kind: "timeout", message: "no response head", bound: { until: "head", ms: 12_000 } } as const;
  const exchanges = Array.from({ length: 15 }, (_, index): Exchange => {
    const head = {
      seq: index + 2,
      sentMs: 1000 + index,
      stage: "limits",
      keyName: "primary",
      endpoint: "models",
      intent,
    } as const;
    const served = makeExchange(head);
    if (index < 10) return served;
    return { ...served, response: null, failure, timing: { ...served.timing, headersMs: null, endMs: 1000 + waitedMs } };
  });
  const history = readHistory(exchanges, tolerances);
  const bySeq = new Map<number, Exchange>(exchanges.map((exchange) => [exchange.seq, exchange]));
  const view = viewBurst("primary", { history, changes, tolerances, manifest, exchanges, bySeq })!;
  const { verdict, message } = checkQueue(view).find(({ id }) => id === "queue.request-lost")!;
  return `${verdict}: ${message.slice(0, 90)}`;
}

it("calls no request lost that was given up while its cooldown lasted", () => {
  expect(judged(54_000)).toBe("inconclusive: 5 of 5 requests were not waited for until the cooldown of 65 s was over");
  expect(judged(75_000)).toMatch(/^fail: 5 of 5 requests that were held in the cooldown were never answered/);
});
