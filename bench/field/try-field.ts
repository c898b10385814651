import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../src/index.ts";
import { createRandom } from "../../src/core/random.ts";
import { completeManifest } from "../../src/config/complete-manifest.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import { judgeConformance } from "../../src/conformance/verdict/judge-conformance.ts";
import { judgeEach } from "../../src/conformance/verdict/judge-exchanges.ts";
import type { Finding } from "../../src/core/result/finding.ts";
import { openJudgeContext } from "../../src/run/judge-context.ts";
import { readCatalogue } from "../../src/schemas/read-catalogue.ts";
import { allCases } from "../../suites/all-cases.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import { judgeLimits } from "../../src/limits/exam/judge-limits.ts";
import { ServiceClock } from "../../src/reference/clock/service-clock.ts";
import { createWire } from "../../src/wire/client/wire.ts";
import { createHandClock } from "../../test/limits/sockets/hand-clock.ts";
import { runExam } from "../../test/make/run-exam.ts";
import { workingDayMs } from "../../test/make/working-day.ts";
import type { FieldRules } from "./engine/field-rules.ts";
import { chatModel, vectorModel } from "./engine/read-field-request.ts";
import { type FieldServer, serveField } from "./engine/serve-field.ts";
import type { FieldBug } from "./field-bug.ts";

export interface FieldTrial {
  readonly exitCode: 0 | 1 | 3;
  /** The first failing findings; of a run that ended in 3 what was not decided. */
  readonly says: readonly string[];
  /** Of the target's clock for limits, of a real one for a check. */
  readonly seconds: number;
  readonly requests: number;
}

/** Asks one server in the default exam of its stage: limits on a clock that is moved by hand, with the schedule of real time. */
export async function tryField(stage: FieldBug["stage"], rules: Partial<FieldRules>): Promise<FieldTrial> {
  return stage === "limits" ? tryLimits(rules) : tryCheck(rules);
}

function manifestOf({ url, keys }: FieldServer, stage: FieldBug["stage"]): Manifest {
  const { primary, secondary, examTokens } = keys;
  const absent = [
    "images",
    "transcriptions",
    "key-settings",
    "account-settings",
    "agents",
    "workspaces",
    "verify",
    "tools",
    "dimensions",
  ];
  return completeManifest({
    target: { baseUrl: url, timeoutMs: 5000 },
    keys: { primary: primary!, secondary: secondary!, ...(stage === "limits" ? { examTokens: examTokens! } : {}) },
    models: { chat: chatModel, embedding: vectorModel },
    features: Object.fromEntries(absent.map((name) => [name, false])),
    exclusive: true,
    permissions: { exhaustLimits: stage === "limits", spendUpToCents: 500 },
  });
}

async function tryLimits(rules: Partial<FieldRules>): Promise<FieldTrial> {
  const clock = new ServiceClock({
    kind: "manual",
    startMs: workingDayMs + Math.floor(createRandom(1).fork("start").next() * 60_000),
  });
  const server = await serveField(rules, clock);
  const manifest = manifestOf(server, "limits");
  const exchanges: Exchange[] = [];
  const hand = createHandClock(clock, "here");
  const wire = createWire({ manifest, clock: hand, onExchange: (exchange) => exchanges.push(exchange) });
  try {
    const { stopped } = await runExam({ manifest, sender: hand.watch(wire), clock: hand }, 1, { exam: "short" });
    const { findings, result } = judgeLimits({ exchanges, manifest, strict: false });
    const failing = [...findings, ...judgeInPassing(exchanges, manifest)].filter(({ verdict }) => verdict === "fail");
    const open = result.policies.filter(({ verdict }) => verdict === "inconclusive");
    const seconds = Math.max(...exchanges.map(({ timing }) => timing.endMs)) / 1000;
    const isOpen = open.length > 0 || stopped !== null || result.policies.length === 0;
    return {
      exitCode: failing.length > 0 ? 1 : isOpen ? 3 : 0,
      says:
        failing.length > 0
          ? failing.map(({ check, requirement, message }) => `${check ?? requirement}: ${message}`)
          : [...(stopped === null ? [] : [stopped]), ...open.map(({ id, summary }) => `${id}: ${summary}`)],
      seconds,
      requests: exchanges.length,
    };
  } finally {
    await wire.close();
    await server.close();
    clock.close();
  }
}

/** The shape of every answer is judged, whatever it was sent for, as in a run. */
function judgeInPassing(exchanges: readonly Exchange[], manifest: Manifest): readonly Finding[] {
  const context = openJudgeContext(manifest);
  const { findings } = judgeConformance({
    exchanges,
    catalogue: readCatalogue(),
    judges: allJudges,
    context,
    suites: ["limits"],
    untested: new Map(),
    cases: allCases,
    judged: judgeEach(exchanges, allJudges, context),
    strict: false,
  });
  return findings.filter(({ requirement }) => requirement?.startsWith("XOAI") !== true);
}

async function tryCheck(rules: Partial<FieldRules>): Promise<FieldTrial> {
  const clock = new ServiceClock();
  // Pacing is no question here.
  const server = await serveField({ limit: 100_000, tokenLimit: 10_000_000, ...rules }, clock);
  const startedMs = performance.now();
  const outDir = mkdtempSync(join(tmpdir(), "assay-field-"));
  try {
    const { result } = await run({ manifest: manifestOf(server, "check"), stages: ["conformance"], outDir, env: {} });
    const failing = result.findings.filter(({ verdict }) => verdict === "fail");
    const open = result.scope?.open ?? [];
    return {
      exitCode: result.exitCode === 0 || result.exitCode === 1 ? result.exitCode : 3,
      says:
        failing.length > 0
          ? failing.map(({ requirement, message }) => `${requirement}: ${message}`)
          : open.map(({ id, reason }) => `${id}: ${reason}`),
      seconds: (performance.now() - startedMs) / 1000,
      requests: result.spent.requests,
    };
  } finally {
    rmSync(outDir, { recursive: true, force: true });
    await server.close();
    clock.close();
  }
}
