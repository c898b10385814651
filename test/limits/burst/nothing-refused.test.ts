import { describe, expect, it } from "vitest";
import { limitPersonalities } from "../../../bench/limits/personalities.ts";
import { judgeConformance } from "../../../src/conformance/verdict/judge-conformance.ts";
import type { LimitsResult } from "../../../src/core/result/limits-result.ts";
import { findSwitch } from "../../../src/reference/switches/switchboard.ts";
import { openJudgeContext } from "../../../src/run/judge-context.ts";
import { readCatalogue } from "../../../src/schemas/read-catalogue.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { testManifest } from "../../make/test-manifest.ts";
import { examineSwitch } from "../sockets/examine-switch.ts";
import { inapplicableRows } from "../../../src/run/record/judge-run.ts";

/** Checks of refusals, of which a service that queues makes none. */
const ofRefusals = [
  "burst.refusal-status",
  "burst.cooldown-prolonged",
  "burst.retry-after-untrue",
  "burst.retry-after-form",
  "burst.retry-after-too-short",
  "burst.retry-after-too-long",
];

describe("checks of refusals, where beyond the allowance nothing was refused", () => {
  it("do not apply to a service that holds what comes beyond it", async () => {
    const { variants } = limitPersonalities.find(({ name }) => name === "small bucket, queue")!;
    const { result, occurrences } = await examineSwitch("burst", null, { time: "blind", variants });
    const checks = result.policies.filter(({ kind }) => kind === "burst").flatMap((policy) => policy.checks);
    const own = checks.filter(({ id }) => ofRefusals.includes(id));
    expect(new Set(own.map(({ id, verdict }) => `${id} ${verdict}`))).toEqual(
      new Set(ofRefusals.map((id) => `${id} not-applicable`)),
    );
    const open = occurrences.filter(({ requirement, outcome }) => requirement.startsWith("BURST-") && outcome === "inconclusive");
    expect(open.map(({ requirement, message }) => `${requirement}: ${message}`)).toEqual([]);
  });

  it("are open where nothing was held either: a service without an allowance fails", async () => {
    const { result, findings } = await examineSwitch("burst", findSwitch("burst/ignored"), { time: "blind" });
    const checks = result.policies.filter(({ kind }) => kind === "burst").flatMap((policy) => policy.checks);
    expect(checks.filter(({ id, verdict }) => ofRefusals.includes(id) && verdict === "not-applicable")).toEqual([]);
    expect(findings.map(({ check }) => check)).toContain("burst.over-admission");
  });

  it("leave their rows not applicable in the verdict of a run", () => {
    const policy = { checks: [{ verdict: "not-applicable", requirements: ["BURST-005"], message: "all was held" }] };
    const inapplicable = inapplicableRows({ policies: [policy], notJudged: [] } as unknown as LimitsResult);
    const { result } = judgeConformance({
      exchanges: [makeExchange({ seq: 1, endpoint: "models" })],
      catalogue: readCatalogue().filter(({ id }) => id === "BURST-005" || id === "BURST-006"),
      judges: [],
      context: openJudgeContext(testManifest("http://127.0.0.1:9")),
      suites: ["limits"],
      untested: new Map(),
      inapplicable,
      strict: false,
    });
    expect(result.requirements.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual([
      "BURST-005 not-applicable",
      "BURST-006 inconclusive",
    ]);
  });
});
