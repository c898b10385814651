import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import { PassiveValidator } from "../../src/conformance/verdict/passive-validator.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import { factsOf } from "../../src/core/exchange/exchange-facts.ts";
import { readRun, run, startReferenceService } from "../../src/index.ts";
import { readOp } from "../../src/limits/history/history.ts";
import { measureExchange } from "../../src/load/samples/measure-exchange.ts";
import { answered, delta, event, streamed } from "../make/load/exchange-fixture.ts";
import { contextWith } from "../suites/judge-with.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** How often each text was parsed from now on. */
function countParses(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const parse = JSON.parse.bind(JSON);
  vi.spyOn(JSON, "parse").mockImplementation((text: string, reviver?: Parameters<typeof JSON.parse>[1]): unknown => {
    counts.set(text, (counts.get(text) ?? 0) + 1);
    return parse(text, reviver);
  });
  return counts;
}

function textsOf({ response }: Exchange): readonly string[] {
  const events = response?.stream?.events.map(({ data }) => data).filter((data) => data !== "[DONE]") ?? [];
  return response?.body?.text === undefined ? events : [...events, response.body.text];
}

function countTexts(exchanges: readonly Exchange[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of exchanges.flatMap(textsOf)) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

describe("an exchange is read once", () => {
  it("in a run: while it is sent, for confirmation, in passing and for the verdict", async () => {
    const service = await startReferenceService({ seed: 3 });
    const parses = countParses();
    const outDir = mkdtempSync(join(tmpdir(), "assay-once-"));
    const { folder, result } = await run({
      manifest: service.manifest,
      stages: ["conformance"],
      suites: ["models", "chat"],
      outDir,
    });
    const reported = new Map(parses);
    vi.restoreAllMocks();
    await service.close();
    expect(result.exitCode).not.toBe(4);
    const answers = countTexts((await readRun(folder)).exchanges.filter(({ response }) => response !== null));
    expect(answers.size).toBeGreaterThan(20);
    const often = [...answers].filter(([text, times]) => (reported.get(text) ?? 0) > times);
    expect(often).toEqual([]);
    expect([...answers].filter(([text]) => reported.has(text)).length).toBeGreaterThan(20);
  });

  it("by the budget, the judges, the figures of load and the history of limits together", () => {
    const passive = new PassiveValidator({ judges: allJudges, context: contextWith() });
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const parses = countParses();
    for (const exchange of [
      answered(200, { id: "a", usage }),
      answered(429, { error: { code: "rate_limited" }, "retry-after": 1 }),
      streamed([delta(1, { content: "x" }), event(2, JSON.stringify({ choices: [], usage })), event(3, "[DONE]")]),
    ]) {
      expect(textsOf(exchange).length).toBeGreaterThan(0);
      void factsOf(exchange).usage;
      passive.observe(exchange);
      measureExchange(exchange, {
        endpoint: "chat",
        label: "chat",
        phase: "measure",
        step: 0,
        intendedMs: 0,
        issuedMs: 0,
        slo: { ttftMs: null, tpotMs: null, userLatencyMs: null },
      });
      readOp(exchange);
      for (const text of textsOf(exchange)) expect(parses.get(text)).toBe(1);
    }
  });
});
