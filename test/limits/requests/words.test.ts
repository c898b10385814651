import { describe, expect, it } from "vitest";
import { runExam } from "../../make/run-exam.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { judgeLimits } from "../../../src/limits/exam/judge-limits.ts";
import { findSwitch } from "../../../src/reference/switches/switchboard.ts";
import { sampleOf, sampleTitle } from "../../make/runner/sample.ts";
import { examineSwitch } from "../sockets/examine-switch.ts";
import { examine, simulatedManifest } from "../simulation/exam.ts";
import { faultyLimiters } from "../simulation/faulty-limiters.ts";
import { lawfulLimiters } from "../simulation/lawful-limiters.ts";
import { serveRequests } from "../simulation/request-service.ts";
import { createSimulation } from "../simulation/simulator.ts";

const manifest = simulatedManifest(30);

/** Checks that compare what was answered with what a correct limiter answers. */
const measured: ReadonlySet<string> = new Set([
  "limits.over-admission",
  "limits.under-admission",
  "limits.lost-updates",
  "limits.phantom-consumption",
  "limits.remaining-not-granted",
  "limits.remaining-not-restored",
  "limits.early-renewal",
  "limits.retry-after-too-short",
]);

describe("what a finding of the request limit says", () => {
  it.each(sampleOf(faultyLimiters, 2).map((one) => [one.id, one] as const))(
    `of %s holds true counts and asks what to rule out (${sampleTitle})`,
    async (_, faulty) => {
      const { findings, result } = await examine({ seed: 4, service: serveRequests(faulty.create(30, 60_000)), manifest });
      const ops = new Map(result.policies.flatMap(({ timeline }) => timeline.ops.map((op) => [op.seq, op] as const)));
      for (const { check, message, verdict, expected } of findings) {
        expect(expected).not.toMatch(/\b(last )?1 of (them|these requests) are\b|last 1 of/);
        expect(message).not.toMatch(/by -\d|\b1 requests\b|\bfell by 0 only/);
        expect(message).toMatch(/^key \w+ on \/v1\//);
        if (check === "limits.remaining-not-granted" || check === "limits.under-admission")
          expect(message).toContain("does nobody else use the key (exclusive)?");
        if (verdict === "fail" && measured.has(check ?? ""))
          expect(message).toMatch(/correct limiter of any kind|no window algorithm admits more|gives back \d+ at most/);
        if (check !== "limits.algorithm") expect(message).toMatch(/\bcorrect\b/i);
        // A lawful explanation of what was seen is no correct answer, nor is what one refuted algorithm would have done.
        expect(message).not.toMatch(/Correct would be: (?:the operator|a longer window|a label)/);
        if (check === "limits.algorithm") expect(message).not.toContain("Correct would be");
        const span = /were sent and admitted within (\d+\.\d) s/.exec(message);
        const [, first, last] = /\(#(\d+) to #(\d+)\)/.exec(message) ?? [];
        if (span === null || first === undefined || last === undefined) continue;
        expect(verdict).toBe("fail");
        const trueMs = (ops.get(Number(last))?.headersMs ?? 0) - (ops.get(Number(first))?.sentMs ?? 0);
        expect(Math.abs(Number(span[1]) * 1000 - trueMs)).toBeLessThan(2000);
      }
      // That no algorithm fits is no news beside what is known to be wrong.
      const isKnown = findings.some(({ check, verdict }) => verdict === "fail" && measured.has(check ?? ""));
      if (isKnown) expect(findings.map(({ message }) => message).join()).not.toContain("UNEXPLAINED");
    },
  );

  it.each([
    ["limits/over-admit-one", []],
    ["limits/shared-by-endpoints", []],
    ["limits/limit-flaps", ["limits/fixed-first"]],
  ])("leaves no question about the window beside what %s is found by", async (id, variants) => {
    const { findings, result } = await examineSwitch("limits", findSwitch(id), { time: "blind", exam: "full", variants });
    expect(findings.filter(({ verdict }) => verdict === "fail")).not.toEqual([]);
    expect(findings.map(({ check }) => check)).not.toContain("limits.algorithm");
    const checks = result.policies.flatMap((policy) => policy.checks).filter((check) => check.id === "limits.algorithm");
    expect(checks.map(({ message }) => message).join()).toContain("no algorithm explains a history that contradicts itself");
  });

  it("names clocks that differ as the root cause, and no clock where there is one", async () => {
    const limiter = lawfulLimiters.find(({ id }) => id === "fixed-aligned")!;
    const simulation = createSimulation(4, serveRequests(limiter.create(30, 60_000)));
    const real = { ...manifest, control: null };
    await runExam({ manifest: real, ...simulation }, 4);
    const told = (exchanges: readonly Exchange[]): readonly string[] =>
      judgeLimits({ exchanges, manifest: real, strict: false })
        .findings.filter(({ check }) => check === "limits.clocks-differ")
        .map(({ message }) => message);
    expect(told(simulation.exchanges)).toEqual([]);
    const skewed = simulation.exchanges.map((exchange) => (exchange.seq % 3 === 0 ? withDateAhead(exchange, 5000) : exchange));
    expect(told(skewed).join()).toMatch(/Date/);
  });
});

/** The answer of an instance whose clock is ahead. */
function withDateAhead(exchange: Exchange, byMs: number): Exchange {
  if (exchange.response === null) return exchange;
  const headers = exchange.response.headers.map(
    ([name, value]) => [name, name === "date" ? new Date(Date.parse(value) + byMs).toUTCString() : value] as const,
  );
  return { ...exchange, response: { ...exchange.response, headers } };
}
