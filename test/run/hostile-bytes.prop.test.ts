import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactManifest } from "../../src/config/redact-manifest.ts";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import { PassiveValidator } from "../../src/conformance/verdict/passive-validator.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import { suiteIds } from "../../src/core/result/requirement.ts";
import type { Result } from "../../src/core/result/result.ts";
import { createRecordLog } from "../../src/load/ledger/record-log.ts";
import type { LedgerLine } from "../../src/load/ledger/ledger-line.ts";
import { measureExchange } from "../../src/load/samples/measure-exchange.ts";
import { reporters } from "../../src/report/reporters/reporters.ts";
import { openJudgeContext } from "../../src/run/judge-context.ts";
import { LedgerJudge } from "../../src/run/record/ledger-judge.ts";
import { judgeRun } from "../../src/run/record/judge-run.ts";
import type { LoadLine } from "../../src/run/record/ledger-file.ts";
import { logWatch } from "../../src/run/record/log-watch.ts";
import type { RunRecord } from "../../src/run/record/run-record.ts";
import { watchProfile } from "../../src/run/traffic/watch-profile.ts";
import type { MeasuredLoad } from "../../src/run/verdict/find-load-findings.ts";
import { compileSchema } from "../../src/schemas/validator.ts";
import { createRedactor } from "../../src/wire/redaction/redaction.ts";
import { shortProfile } from "../make/load/run-against.ts";
import { hostileAnswer, recordAnswer } from "../make/hostile/hostile-answer.ts";
import { testManifest } from "../make/test-manifest.ts";
import { makeRunRecord } from "../make/results/make-run-record.ts";
import { isWhole } from "../make/runner/sample.ts";
import { forbiddenMarkup } from "../make/hostile/hostile-strings.ts";

/** By night: ASSAY_FUZZ_RUNS=1000000. */
const inputs = Number(process.env["ASSAY_FUZZ_RUNS"] ?? (isWhole ? 10_000 : 1_000));
const givenSeed = process.env["ASSAY_FUZZ_SEED"];
/** `npm test` tries the same inputs each time; a night with a number of its own tries others. A seed and a path repeat a failure. */
const again = {
  seed: Number(givenSeed ?? (process.env["ASSAY_FUZZ_RUNS"] === undefined ? 1 : Date.now() % 2 ** 31)),
  path: process.env["ASSAY_FUZZ_PATH"] ?? "",
};
const perRun = 100;
const manifest = testManifest("http://127.0.0.1:1");
const shown = redactManifest(manifest);
const context = openJudgeContext(shown);
const redactor = createRedactor(manifest);
const profile = shortProfile({ id: "fuzz", gates: ["limits.violations == 0", "error_rate < 5%", "ttft.p95 < 1s"] });
const record: RunRecord = makeRunRecord({ stages: ["conformance", "limits", "load"], suites: suiteIds, manifest: shown });
const check = compileSchema("result.schema");

/** The load result that a run would make of these answers, by way of its ledger. */
function measure(exchanges: readonly Exchange[]): MeasuredLoad {
  const passive = new PassiveValidator({ judges: allJudges, context });
  const judge = new LedgerJudge({ strict: false });
  const take = (line: LoadLine): void => judge.take(JSON.parse(JSON.stringify(line)) as LoadLine);
  take({ kind: "calibration", calibration: null });
  const mask = redactor.maskDeep;
  const watch = logWatch({ watch: watchProfile(profile, shown, false), write: take, manifest: shown, mask, whole: false });
  const gates = profile.gates.map(({ expression }) => expression);
  take({ kind: "profile", profile: { ...profile, gates }, workload: "chat", seed: 1, virtualTime: false, loops: null });
  take({ kind: "start", loop: 0, startMs: 0, fromMs: 0 });
  const log = createRecordLog(0, (json) => take(JSON.parse(json) as LedgerLine));
  for (const exchange of exchanges) {
    passive.observe(exchange);
    watch.onExchange(exchange);
    const { sentMs } = exchange.timing;
    const about = { endpoint: "chat", label: "chat", phase: "measure", step: 0, intendedMs: sentMs, issuedMs: sentMs } as const;
    log.add(measureExchange(exchange, { ...about, slo: profile.slo }).record);
  }
  log.flush();
  take({ kind: "measured" });
  expect(JSON.stringify(watch.finish().findings.filter(({ stage }) => stage === "harness"))).toBe("[]");
  expect(JSON.stringify(passive.unjudged())).toBe("[]");
  return { ...judge.finish(), passive: passive.counts() };
}

/** No reporter may pass on a key, a control character, or markup of a target. */
function findSpoken(result: Result, evidence: readonly Exchange[]): readonly string[] {
  return Object.entries(reporters).flatMap(([name, reporter]) => {
    const rendered = reporter.render(result, evidence);
    const text = typeof rendered === "string" ? rendered : rendered.map((file) => file.text).join("\n");
    const isPage = name === "html" || name === "junit";
    return [
      text.includes("Primary0123456789") ? `${name}: a key` : "",
      /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text.replaceAll(/[\n\t]|\r\n/g, "")) ? `${name}: a control character` : "",
      isPage && forbiddenMarkup.some((markup) => text.includes(markup)) ? `${name}: markup` : "",
      text.length > 5e6 ? `${name}: ${text.length} characters` : "",
    ].filter((one) => one !== "");
  });
}

describe("bytes of a target", () => {
  it(
    "never make capture, judges, limits, load or reporters fail or speak",
    () => {
      const { failed, seed, counterexamplePath, errorInstance } = fc.check(
        fc.property(fc.array(hostileAnswer, { minLength: perRun, maxLength: perRun }), (answers) => {
          let atMs = 0;
          const exchanges = answers.map((one, index) => recordAnswer(one, index + 1, (atMs += one.pauseMs), redactor));
          const measured = measure(exchanges.filter(({ stage }) => stage === "load"));
          expect(measured.load?.profiles).toHaveLength(1);
          const kept = exchanges.filter(({ stage }) => stage !== "load");
          const result = judgeRun(record, kept, measured);
          expect(result.reason).not.toContain("assay itself failed");
          expect(JSON.stringify(result.findings.filter(({ stage }) => stage === "harness"))).toBe("[]");
          expect(JSON.stringify(check(JSON.parse(JSON.stringify(result))))).toBe("[]");
          expect(findSpoken(result, exchanges).join()).toBe("");
        }),
        { numRuns: Math.ceil(inputs / perRun), endOnFailure: true, ...again },
      );
      // The answers themselves fill a screen: the seed brings them back.
      const place = `ASSAY_FUZZ_SEED=${seed} ASSAY_FUZZ_PATH=${counterexamplePath ?? ""}`;
      expect(failed ? `${place}: ${(errorInstance as Error).message}` : "").toBe("");
    },
    Math.max(120_000, inputs * 60),
  );
});
