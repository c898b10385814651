import { expect, it } from "vitest";
import type { LimitOp } from "../../src/limits/history/op.ts";
import { listLimitChecks } from "../../src/limits/traffic/traffic-judgement.ts";
import { watchTokens } from "../../src/limits/traffic/watch-tokens.ts";
import { renderHtml } from "../../src/report/html/render-html.ts";
import { createScreen } from "../../src/report/terminal/screen.ts";
import { renderSummary } from "../../src/report/terminal/summary.ts";
import { compileSchema } from "../../src/schemas/validator.ts";
import { makeLimitOp } from "../make/exchanges/make-limit-op.ts";
import { manifestFor } from "../make/load/load-target.ts";
import { buildSample } from "../make/sample-result/sample-result.ts";

const words =
  "the fullest window admitted 2,240 tokens by 60 answers, 1,240 above its limit; charged as they end, requests can bring at most 1,340 tokens above 1,000, 20 in flight";

/** Forty one after another, then twenty at once, then a refusal: all of one window of 1,000 tokens. */
function history(): readonly LimitOp[] {
  const draft = {
    endpoint: "chat",
    tokens: { limit: 1000, remaining: 0, resetMs: 60_000, resetFormat: "unix-seconds" },
  } as const;
  const alone = Array.from({ length: 40 }, (_, seq) =>
    makeLimitOp(seq, 10 * seq, 10 * seq + 5, { ...draft, usedTokens: seq === 0 ? 120 : 20 }),
  );
  const together = Array.from({ length: 20 }, (_, index) => makeLimitOp(40 + index, 410, 500, { ...draft, usedTokens: 67 }));
  return [...alone, ...together, makeLimitOp(60, 1500, 1510, { ...draft, status: 429, outcome: "rejected", cause: "tokens" })];
}

it("the overshoot of a token limit stands in terminal, result.json and HTML, of an exam and of load", () => {
  const watch = watchTokens(manifestFor("http://127.0.0.1:9", {}));
  for (const op of history()) watch.onOp(op);
  const judged = watch.finish()!.result;
  const sample = buildSample().result;
  const profiles = sample.load!.profiles.map((profile) => ({ ...profile, gates: [], limitChecks: listLimitChecks(judged) }));
  const [first] = profiles;
  const result = { ...sample, findings: [], limits: judged, load: { ...sample.load!, profiles: [first!] } };
  expect(compileSchema("result.schema")(result)).toEqual([]);
  const expected = { limit: 1000, used: 2240, answers: 60, atOnce: 1340, inFlight: 20, withoutUsage: 0 };
  expect([judged.policies[0]?.checks[0]?.overshoot, first!.limitChecks[0]?.overshoot]).toEqual([expected, expected]);
  const screen = createScreen({ stream: { isTTY: false, columns: 4000, write: () => true }, env: {} });
  const lines = renderSummary(result, screen).replaceAll(/\s+/g, " ");
  expect(lines).toContain(`${first!.id}: tokens/primary/chat: ${words} `);
  expect(lines.split(`tokens/primary/chat: ${words} `)).toHaveLength(3);
  const page = renderHtml(result, []);
  expect(page).toMatch(new RegExp(`<dt>Overshoot</dt>\\s*<dd>${words}`));
  expect(page).toContain(`tokens/primary/chat: ${words}.`);
});
