import { describe, expect, it } from "vitest";
import type { Finding } from "../../../src/core/result/finding.ts";
import type { ProbeResult } from "../../../src/core/result/probe-result.ts";
import { watchProbe } from "../../../src/run/traffic/watch-probe.ts";
import { type ExchangeDraft, makeExchange, wallMs } from "../../make/exchanges/make-exchange.ts";
import { manifestFor } from "../../make/load/load-target.ts";

const limit = 600;
const models = { object: "list", data: [{ id: "chat-model", object: "model", created: 1, owned_by: "test" }] };

/** The fields of an answer that shows so many requests remaining. */
function fields(remaining: number): readonly (readonly [string, string])[] {
  const reset = String(wallMs / 1000 + 60);
  return [
    ["x-ratelimit-limit-requests", String(limit)],
    ["x-ratelimit-remaining-requests", String(remaining)],
    ["x-ratelimit-reset-requests", reset],
    ["x-ratelimit-limit-tokens", "100000"],
    ["x-ratelimit-remaining-tokens", "99000"],
    ["x-ratelimit-reset-tokens", reset],
  ];
}

/** The judgement of a probe that asks for models every four seconds and is answered so. */
function judge(
  drafts: readonly ExchangeDraft[],
  loadEndedMs = 0,
): { readonly probe: ProbeResult; readonly findings: readonly Finding[] } {
  const manifest = manifestFor("http://127.0.0.1:1");
  const watch = watchProbe(
    { id: "p-run2", probe: { key: "secondary", everySeconds: 4, ask: ["models"] }, repeat },
    manifest,
    false,
  );
  for (const [place, draft] of drafts.entries()) {
    watch!.onExchange(
      makeExchange({
        seq: place + 1,
        stage: "load",
        label: "models",
        intent: { kind: "load", profile: "p", phase: "measure" },
        keyName: "secondary",
        sentMs: 1000 + 4000 * place,
        received: models,
        ...draft,
      }),
    );
  }
  watch!.onLoad(loadEndedMs);
  return watch!.finish();
}

const repeat = { of: "p", number: 2, runs: 3 };
const served = [599, 598, 597].map((remaining) => ({ headers: fields(remaining) }));

describe("the judges of a probe", () => {
  it("cannot say of a key that nobody served how it is served", () => {
    const busy = {
      status: 503,
      headers: [...fields(599), ["retry-after", "30"] as const],
      received: { error: { code: "unavailable", message: "busy" } },
    };
    expect(judge([busy, busy]).probe).toMatchObject({
      verdict: "inconclusive",
      reason: "2 of its 2 requests were answered, but none was served",
    });
  });

  it("pass no range of remaining requests where no answer states any", () => {
    const { probe } = judge([{ headers: [] }, { headers: [] }, { headers: [] }]);
    const verdicts = probe.limitChecks.filter(({ id }) => id === "limits.remaining-range").map(({ verdict }) => verdict);
    expect(verdicts).not.toContain("pass");
    expect(judge(served).probe.limitChecks).toContainEqual(
      expect.objectContaining({ id: "limits.remaining-range", verdict: "pass", considered: 3 }),
    );
  });

  it("say how long before the end of the load its last request was sent", () => {
    expect(judge(served, 609_000).probe).toMatchObject({ verdict: "pass", silentSeconds: 600 });
    expect(judge(served, 15_000).probe.silentSeconds).toBeUndefined();
  });

  it("find nothing in answers that are right", () => {
    const { probe, findings } = judge(served);
    expect(findings).toEqual([]);
    expect(probe).toMatchObject({ verdict: "pass", sent: 3, answered: 3, violated: [] });
    expect(probe.operations).toEqual([
      { operation: "models", sent: 3, ok: 3, refused: 0, latencyMs: { answers: 3, median: 20, max: 20 }, ttftMs: null },
    ]);
  });

  it("find a key that is refused while its answers said that requests remain", () => {
    const refused = {
      status: 429,
      headers: [...fields(0), ["retry-after", "30"] as const],
      received: { error: { code: "rate_limit_exceeded", message: "no" }, "retry-after": 30 },
    };
    const { probe, findings } = judge([...served, refused, refused]);
    expect(probe).toMatchObject({ verdict: "fail", operations: [{ ok: 3, refused: 2 }] });
    expect(findings.filter(({ verdict }) => verdict === "fail").map(({ check }) => check)).toContain(
      "limits.remaining-not-granted",
    );
  });

  it("find answers of another shape, and name the profile that is repeated", () => {
    const { probe, findings } = judge([...served, { headers: fields(596), received: { object: "list", data: "none" } }]);
    expect(probe.verdict).toBe("fail");
    const finding = findings.find(({ verdict }) => verdict === "fail");
    expect(finding!.message).toContain("load p, run 2, probe with key secondary, 200 models");
    expect(finding!.exchanges).toEqual([4]);
  });

  it("accuse nobody who is overloaded, or whose window begins anew", () => {
    const overloaded = {
      status: 503,
      headers: [...fields(596), ["retry-after", "30"] as const],
      received: { error: { code: "unavailable", message: "busy" } },
    };
    const { findings } = judge([...served, overloaded]);
    expect(findings.filter(({ verdict }) => verdict === "fail")).toEqual([]);
    const renewed = judge([...[400, 399].map((remaining) => ({ headers: fields(remaining) })), { headers: fields(599) }]);
    expect(renewed.findings.filter(({ check }) => check === "limits.phantom-consumption")).toEqual([]);
  });
});
