import { describe, expect, it } from "vitest";
import { allJudges } from "../../../src/conformance/judges/all-judges.ts";
import { judgeExchanges } from "../../../src/conformance/verdict/judge-exchanges.ts";
import { PassiveValidator } from "../../../src/conformance/verdict/passive-validator.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { suiteIds } from "../../../src/core/result/requirement.ts";
import { openJudgeContext } from "../../../src/run/judge-context.ts";
import { judgeRun } from "../../../src/run/record/judge-run.ts";
import type { RunRecord } from "../../../src/run/record/run-record.ts";
import { watchProfile } from "../../../src/run/traffic/watch-profile.ts";
import { noLoad } from "../../../src/run/verdict/find-load-findings.ts";
import { makeExchange, wallMs } from "../../make/exchanges/make-exchange.ts";
import { good, streamed } from "../../make/exchanges/make-stream.ts";
import { profileResult } from "../../make/results/result-fixture.ts";
import { makeRunRecord } from "../../make/results/make-run-record.ts";
import { testManifest } from "../../make/test-manifest.ts";

const recordOf = (stages: RunRecord["stages"]): RunRecord => makeRunRecord({ stages });

/** An exchange that no capture yields and no reader lets in: code that reads its field, whose value is no text, throws. */
function poisoned(seq: number, stage: Exchange["stage"]): Exchange {
  const one = makeExchange({ seq, stage, status: 429 });
  const value = Object.create(null) as string;
  return {
    ...one,
    response: { ...one.response!, headers: ["retry-after", "x-ratelimit-limit-requests"].map((name) => [name, value]) },
  };
}

const manifest = testManifest("http://127.0.0.1:1");

describe("the overlay of a convention", () => {
  it("fails no run of load where streams have no terminator, and is reported", () => {
    const validator = new PassiveValidator({ judges: allJudges, context: openJudgeContext(manifest) });
    const fields = ["requests", "tokens"].flatMap((unit): [string, string][] => [
      [`x-ratelimit-limit-${unit}`, "60"],
      [`x-ratelimit-remaining-${unit}`, "59"],
      [`x-ratelimit-reset-${unit}`, String(Math.floor(wallMs / 1000) + 30)],
    ]);
    for (let seq = 1; seq <= 20; seq += 1)
      validator.observe(streamed(good.slice(0, -1), { seq, stage: "load", headers: fields }));
    const passive = validator.counts();
    const { findings } = judgeRun(recordOf(["load"]), [], { ...noLoad, passive });
    const overlay = findings.filter(({ requirement }) => requirement?.startsWith("XOAI"));
    expect(overlay.map(({ requirement, stage }) => [requirement, stage])).toEqual([["XOAI-004", "load"]]);
    const { exitCode, reason } = judgeRun({ ...recordOf(["load"]), suites: suiteIds }, [], { ...noLoad, passive });
    expect([exitCode, reason]).not.toEqual([1, expect.anything()]);
    // Asked for alone it is what the run is about.
    expect(judgeRun({ ...recordOf(["load"]), suites: ["convention"] }, [], { ...noLoad, passive }).exitCode).toBe(1);
  });
});

describe("a judge that fails on an answer", () => {
  it("is a finding about that answer, and the others are judged", () => {
    const sound = makeExchange({ seq: 1, received: "{" });
    const { exitCode, findings, passive, reason } = judgeRun(
      recordOf(["conformance"]),
      [sound, poisoned(2, "conformance")],
      noLoad,
    );
    const faults = findings.filter(({ stage }) => stage === "harness");
    expect(faults.map(({ exchanges }) => exchanges)).toContainEqual([2]);
    // A judge of the run as a whole names no answer.
    for (const { exchanges } of faults) expect([[2], []]).toContainEqual(exchanges);
    expect(new Set(faults.map(({ verdict }) => verdict))).toEqual(new Set(["advisory"]));
    expect(passive.violations).toContainEqual(expect.objectContaining({ exchanges: [1] }));
    expect([exitCode, reason]).not.toEqual([4, expect.anything()]);
  });

  it("is one where limits are judged, which are said to be unjudged", () => {
    const exchanges = [makeExchange({ seq: 1, stage: "limits" }), poisoned(2, "limits")];
    const { exitCode, findings, reason, limits } = judgeRun(recordOf(["limits"]), exchanges, noLoad);
    expect(findings).toContainEqual(expect.objectContaining({ stage: "harness", check: "limits", exchanges: [2] }));
    expect(limits).toMatchObject({ policies: [], notJudged: [{ policy: "limits" }] });
    expect(exitCode).not.toBe(4);
    expect(reason).toContain("the judge limits failed on 1 answer, first #2");
  });

  it("is one under load, whichever command judges the run", () => {
    const passive = {
      seen: 9,
      judged: 9,
      tallies: new Map(),
      considered: new Map(),
      account: [],
      unjudged: [{ judge: "j", stage: "load" as const, fault: "x", count: 3, seq: 7 }],
    };
    const { exitCode, findings, reason } = judgeRun(recordOf(["load"]), [], { ...noLoad, passive });
    expect(findings).toContainEqual(
      expect.objectContaining({ stage: "harness", check: "j under load", exchanges: [7], more: 2 }),
    );
    expect([exitCode, reason]).toEqual([3, "the judge j under load failed on 3 answers, first #7: x"]);
  });

  it("is one where nothing but load was asked for", () => {
    const { exitCode, findings } = judgeRun(recordOf(["load"]), [poisoned(2, "setup")], noLoad);
    expect(findings).toContainEqual(expect.objectContaining({ stage: "harness", exchanges: [2] }));
    expect(exitCode).toBe(3);
  });

  it("of the limits of a profile is one, and its gates have no figure", () => {
    const soak = { id: "soak", key: "load", limitScenario: null };
    const watch = watchProfile(soak, manifest, false);
    watch.onExchange(makeExchange({ seq: 1, stage: "load" }));
    expect(watch.finish().findings).toEqual([]);
    const failing = watchProfile(soak, manifest, false);
    failing.onExchange(poisoned(3, "load"));
    failing.onExchange(makeExchange({ seq: 4, stage: "load" }));
    const { figures, checks, findings } = failing.finish();
    expect([figures.violations, checks]).toEqual([null, []]);
    expect(findings).toEqual([expect.objectContaining({ stage: "harness", check: "limits under load", exchanges: [3] })]);
  });
});

it("a fault that no answer causes ends in a result that says so", () => {
  const record = { ...recordOf(["conformance"]), untested: null as unknown as RunRecord["untested"] };
  const { exitCode, verdict, reason } = judgeRun(record, [makeExchange({ seq: 1 })], noLoad);
  expect([exitCode, verdict]).toEqual([4, "internal-error"]);
  expect(reason).toContain("assay itself failed");
});

it("an answer of thousands of subjects weighs no more than some hundred of them", () => {
  const details = Array.from({ length: 20_000 }, (_, at) => ({ field: `f${at}`, expected: "a number" }));
  const received = { error: { code: "invalid", message: "m", details: [...details, { field: "last" }] } };
  const intent = { kind: "violates", requirement: "CHAT-002", condition: "missing-field", field: "model", twin: null } as const;
  const one = makeExchange({ seq: 1, endpoint: "chat", status: 422, intent, sent: {}, received });
  const said = judgeExchanges([one], allJudges, openJudgeContext(recordOf(["conformance"]).manifest));
  expect(said.length).toBeLessThan(2000);
  // A fault behind thousands of correct answers is still seen.
  expect(said).toContainEqual(expect.objectContaining({ requirement: "ERR-007", outcome: "fail" }));
});

describe("the name of the server", () => {
  const named = makeExchange({ seq: 2, headers: [["Server", "llama.cpp"]] });

  it("is what its answers say, or what assay started itself", () => {
    const answers = [makeExchange({ seq: 1 }), named];
    expect(judgeRun(recordOf(["conformance"]), answers, noLoad).target.server).toBe("llama.cpp");
    expect(judgeRun(recordOf(["conformance"]), answers.slice(0, 1), noLoad).target.server).toBeNull();
    const own = makeRunRecord({ stages: ["conformance"], server: "reference service" });
    expect(judgeRun(own, answers, noLoad).target.server).toBe("reference service");
  });

  it("is cut to a line", () => {
    const long = makeExchange({ seq: 1, headers: [["server", "x".repeat(10_000)]] });
    expect(judgeRun(recordOf(["conformance"]), [long], noLoad).target.server).toHaveLength(80);
  });
});

describe("the overlay", () => {
  const tally = {
    requirement: "XOAI-001",
    judge: "convention-chunks",
    stage: "load" as const,
    subject: "200 chat stream",
    message: "a chunk has object nothing",
    kind: "object",
    outcome: "fail" as const,
    count: 3,
    exchanges: [1],
  };
  const passive = { seen: 3, judged: 3, tallies: new Map([["object", tally]]), considered: new Map(), account: [], unjudged: [] };
  const reasonOf = (suites: RunRecord["suites"], required: readonly string[]): string | null => {
    const record = makeRunRecord({ stages: ["load"], suites });
    const judged = { ...record, manifest: { ...record.manifest, require: required } };
    return judgeRun(judged, [], { ...noLoad, passive }).reason;
  };

  it("turns a run of load only where it is required", () => {
    expect(reasonOf([], [])).not.toContain("failure");
    for (const entry of ["convention", "XOAI-001", "XOAI-*"])
      expect(reasonOf([], [entry])).toContain("1 failure in answers under load");
    expect(reasonOf(["core", "convention"], [])).not.toContain("failure");
    expect(reasonOf(["convention"], [])).toContain("1 failure");
  });
});

it("reports each gate that was missed, though two bounds of one figure have findings of one name", () => {
  const profile = profileResult({ seed: 1 });
  const [gate] = profile.gates;
  const gates = ["800ms", "1s"].map((bound) => ({
    ...gate!,
    id: "ttft.p95",
    expression: `ttft.p95 < ${bound}`,
    verdict: "fail" as const,
  }));
  const load = { profiles: [{ ...profile, gates }], calibration: null };
  const { findings } = judgeRun(recordOf(["load"]), [], { ...noLoad, load });
  expect(findings.map(({ expected }) => expected)).toEqual(["ttft.p95 < 800ms", "ttft.p95 < 1s"]);
});
