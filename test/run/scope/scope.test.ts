import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerResponse } from "node:http";
import { afterAll, describe, expect, it } from "vitest";
import type { Manifest } from "../../../src/core/manifest.ts";
import type { Result } from "../../../src/core/result/result.ts";
import { redactManifest } from "../../../src/config/redact-manifest.ts";
import { planConformance } from "../../../src/conformance/plan/plan-conformance.ts";
import { type ReferenceService, startReferenceService } from "../../../src/reference/start-reference-service.ts";
import { executeRun } from "../../../src/run/execute-run.ts";
import { readRunRequest } from "../../../src/run/request/read-run-request.ts";
import { judgeRun } from "../../../src/run/record/judge-run.ts";
import { readRun, type SavedRun } from "../../../src/run/record/read-run.ts";
import { noLoad } from "../../../src/run/verdict/find-load-findings.ts";
import type { RunRequest } from "../../../src/run/request/run-request.ts";
import { allCases } from "../../../suites/all-cases.ts";
import { sampleOf, sampleTitle } from "../../make/runner/sample.ts";
import { serveHttp } from "../../make/wire/test-server.ts";
import { frontThatFails } from "./front-that-fails.ts";

const outDir = mkdtempSync(join(tmpdir(), "assay-scope-"));
const service = await startReferenceService({ latency: "instant" });
const { folder, result: wholeResult } = await check({ manifest: service.manifest });
const whole = await readRun(folder);
afterAll(async () => {
  await service.close();
  rmSync(outDir, { recursive: true });
});

async function check(request: RunRequest): Promise<{ readonly folder: string; readonly result: Result }> {
  return executeRun(readRunRequest({ stages: ["conformance"], outDir, env: {}, ...request }));
}

function oneKey({ manifest }: ReferenceService): Manifest {
  const { primary } = manifest.keys;
  const off = { patchSettings: false, exhaustLimits: false, spendUpToCents: 0, fetchImages: false, createKeyProbe: false };
  return {
    ...manifest,
    keys: { primary: { ...primary!, id: null } },
    models: { chat: null, embedding: null, transcription: null },
    features: {},
    permissions: { ...off, faultTriggers: false, loadUpToRps: null },
    restore: { keys: {}, account: null },
    faults: {},
    foreignKeyId: null,
    exclusive: false,
  };
}

/** The whole run as it would have been without something in the manifest: what could not be sent then is left out. */
function judgeWithout(manifest: Manifest, { record, exchanges }: SavedRun = whole): Result {
  const plan = planConformance(allCases, manifest, { suites: record.suites, cases: [] });
  const sent = new Set(["core/target-check", ...plan.cases.map(({ id }) => id)]);
  const left = exchanges.filter(({ stage, caseId }) => stage !== "conformance" || sent.has(caseId));
  return judgeRun({ ...record, manifest: redactManifest(manifest), untested: [...plan.untested] }, left, noLoad);
}

const without = <Value>(members: Readonly<Record<string, Value>>, name: string): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(members).filter(([other]) => other !== name));

function lesserManifests(manifest: Manifest): readonly (readonly [name: string, manifest: Manifest])[] {
  const { keys, permissions, models, faults, restore } = manifest;
  return [
    ...Object.keys(keys)
      .filter((name) => name !== "primary")
      .map((name) => [`keys.${name}`, { ...manifest, keys: without(keys, name) }] as const),
    ...Object.keys(permissions).map(
      (name) => [`permissions.${name}`, { ...manifest, permissions: { ...permissions, [name]: false } }] as const,
    ),
    ...Object.keys(models).map((use) => [`models.${use}`, { ...manifest, models: { ...models, [use]: null } }] as const),
    ...Object.keys(faults).map((status) => [`faults.${status}`, { ...manifest, faults: without(faults, status) }] as const),
    ["restore", { ...manifest, restore: { ...restore, keys: {} } }],
    ["restore.account", { ...manifest, restore: { ...restore, account: null } }],
    ["foreignKeyId", { ...manifest, foreignKeyId: null }],
    ["exclusive", { ...manifest, exclusive: false }],
    ["target.plan", { ...manifest, target: { ...manifest.target, plan: null } }],
  ];
}

describe("a conforming target", () => {
  it("ends in 0 with all fixtures, and with one ordinary key", async () => {
    expect([wholeResult.verdict, wholeResult.exitCode, wholeResult.reason]).toEqual([
      "passed",
      0,
      expect.stringMatching(/^conformant in scope \(\d+ requirements\)$/),
    ]);
    expect(wholeResult.scope).toMatchObject({ outside: 0, open: [], missing: [] });
    const { result } = await check({ manifest: oneKey(service) });
    expect([result.verdict, result.exitCode, result.reason]).toEqual(["passed", 0, expect.stringContaining("in scope")]);
    expect(result.scope?.inScope).toBe(result.scope?.judged);
    expect(result.scope?.outside).toBeGreaterThan(30);
    expect(result.scope?.missing.map(({ member }) => member)).toEqual(
      expect.arrayContaining(["keys.admin", "keys.readOnly", "permissions.fetchImages", "faults.503", "exclusive"]),
    );
    expect(result.scope?.yaml).toContain("readOnly: ${ASSAY_READ_ONLY_KEY}");
  });

  it(`ends in 0 without any single fixture, and with the defect still in 1 (${sampleTitle})`, async () => {
    service.switches.set(["chat/temperature-unchecked"]);
    const { folder } = await check({ manifest: service.manifest, cases: ["chat/minimal", "chat/rejects-bad-temperature"] });
    service.switches.set([]);
    const spoilt = await readRun(folder);
    for (const [name, manifest] of sampleOf(lesserManifests(service.manifest), 5)) {
      const { exitCode, reason } = judgeWithout(manifest);
      expect([name, exitCode, reason]).toEqual([name, 0, expect.stringContaining("conformant in scope")]);
    }
    for (const [name, lesser] of sampleOf(lesserManifests(service.manifest), 5)) {
      if (name === "models.chat") continue;
      expect([name, judgeWithout(lesser, spoilt).exitCode]).toEqual([name, 1]);
    }
  });

  it.each([true, false])("ends in 0 after the exam of the limits of one key, exclusive: %s", async (exclusive) => {
    const manifest = oneKey(service);
    const permissions = { ...manifest.permissions, exhaustLimits: true };
    // Its limit is reached by the fewest requests.
    const keys = { primary: { ...service.manifest.keys["starter"]!, id: null } };
    const { result } = await check({
      stages: ["limits"],
      exam: "short",
      manifest: { ...manifest, keys, permissions, exclusive, target: { ...manifest.target, plan: null } },
    });
    expect([result.verdict, result.exitCode, result.scope?.open]).toEqual(["passed", 0, []]);
    expect(result.scope?.missing.map(({ member }) => member)).toEqual(expect.arrayContaining(["keys.starter", "keys.secondary"]));
    expect(result.scope?.missing.some(({ member }) => member === "exclusive")).toBe(!exclusive);
  });

  it("is required to be judged where the manifest says so, less what it waives", () => {
    const lesser = lesserManifests(service.manifest).find(([name]) => name === "keys.readOnly")![1];
    const part = { ...whole, record: { ...whole.record, suites: ["core", "chat", "stream", "scopes"] as const } };
    const judge = (changes: Partial<Manifest>): Result => judgeWithout({ ...lesser, ...changes }, part);
    expect(judge({ require: ["scopes"] })).toMatchObject({ verdict: "incomplete", exitCode: 3 });
    expect(judge({ require: ["complete"] }).reason).toMatch(/^complete is required, and \d+ requirements were not judged/);
    expect(judge({ require: ["chat", "CHAT-0*"] }).exitCode).toBe(0);
    const waive = [{ id: "*", reason: "no read-only keys are sold", expires: "2999-01-01" }];
    const waived = judge({ require: ["scopes"], waive });
    expect(waived.exitCode).toBe(0);
    expect(waived.scope?.waived[0]?.requirements.length).toBeGreaterThan(5);
    const expired = judge({ require: ["scopes"], waive: [{ ...waive[0]!, expires: "2020-01-01" }] });
    expect([expired.exitCode, expired.scope?.waived[0]?.expired]).toEqual([3, true]);
  });

  it("may not be judged on less than an earlier run", () => {
    const expected = {
      source: "last-night/result.json",
      verdicts: (wholeResult.conformance?.requirements ?? []).map(({ id, verdict }) => [id, verdict] as const),
    };
    const lesser = lesserManifests(service.manifest).find(([name]) => name === "keys.readOnly")![1];
    const record = { ...whole, record: { ...whole.record, expected } };
    expect(judgeWithout(service.manifest, record).exitCode).toBe(0);
    const less = judgeWithout(lesser, record);
    expect([less.exitCode, less.reason]).toEqual([3, expect.stringContaining("judges less than the expected scope: ")]);
    expect(less.scope?.lost[0]?.reason).toContain("last-night/result.json judged it; now no-fixture: no key named readOnly");
  });

  it("ends in 0 for one case, one suite and one requirement", async () => {
    for (const request of [{ cases: ["chat/minimal"] }, { suites: ["models"] }, { requirements: ["CHAT-021"] }] as const) {
      const { result } = await check({ manifest: service.manifest, ...request });
      expect([request, result.exitCode, result.scope?.open]).toEqual([request, 0, []]);
    }
  });
});

describe("a target that goes away", () => {
  it("ends in 3 when it stops answering half way, whatever the last answers looked like", async () => {
    const endings: readonly ((response: ServerResponse) => void)[] = [
      (response) => response.writeHead(503, { "retry-after": "0" }).end("down for maintenance"),
      (response) => response.socket?.destroy(),
    ];
    for (const ending of endings) {
      const front = await frontThatFails(service.manifest.target.baseUrl, 40, ending);
      const manifest = { ...oneKey(service), control: null, target: { ...service.manifest.target, baseUrl: front.url } };
      const { result } = await check({ manifest, suites: ["chat"] });
      expect([result.verdict, result.exitCode, result.reason]).toEqual([
        "invalid",
        3,
        expect.stringContaining("the target stopped answering at #"),
      ]);
      expect(result.findings.filter(({ verdict }) => verdict === "fail")).toEqual([]);
    }
  });

  it("ends in 3 in maintenance, without findings", async () => {
    const front = await serveHttp(
      (_, response) => void response.writeHead(503, { "retry-after": "0" }).end("<h1>Maintenance</h1>"),
    );
    const manifest = { ...oneKey(service), control: null, target: { ...service.manifest.target, baseUrl: front.url } };
    const { result } = await check({ manifest });
    expect([result.verdict, result.exitCode, result.findings]).toEqual(["invalid", 3, []]);
    expect(result.reason).toContain("503");
  });
});
