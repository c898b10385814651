import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigError, readRun, rejudgeRun, type ReferenceService, run, startReferenceService } from "../src/index.ts";
import { readRunRequest } from "../src/run/request/read-run-request.ts";
import { runAssay } from "./cli/run-assay.ts";

const outDir = mkdtempSync(join(tmpdir(), "assay-api-"));

describe("run from a program", () => {
  let service: ReferenceService;
  beforeAll(async () => {
    service = await startReferenceService({ seed: 3 });
  });
  afterAll(() => service.close());

  it("runs, saves and judges again with a resolved manifest", async () => {
    const { manifest } = service;
    const { result, folder, reports } = await run({
      manifest,
      stages: ["conformance"],
      suites: ["models"],
      strict: true,
      outDir,
    });
    expect({ verdict: result.verdict, findings: result.findings, exitCode: result.exitCode }).toEqual({
      verdict: "passed",
      findings: [],
      exitCode: 0,
    });
    expect(reports.map((report) => report.problem)).toEqual([null, null, null]);
    expect(await rejudgeRun(folder)).toMatchObject({ result, problems: [] });
  });

  it("needs an address and a key only, and keeps the key out of every file", async () => {
    const key = service.manifest.keys["primary"]!.secret;
    const { result, folder } = await run({
      baseUrl: service.url,
      key,
      stages: ["conformance"],
      suites: ["models"],
      outDir,
      env: {},
    });
    expect(result).toMatchObject({ exitCode: 0, target: { baseUrl: service.url } });
    for (const file of ["run.json", "evidence.ndjson", "result.json", "report.html", "junit.xml"])
      expect(readFileSync(join(folder, file), "utf8")).not.toContain(key);
  });

  it("writes a reporter of its own, and one that throws loses no other", async () => {
    const { manifest } = service;
    const own = (name: string, render: () => string) => ({ name, purpose: "", defaultPath: `${name}.txt`, render });
    const broken = own("broken", () => {
      throw new Error("no");
    });
    const request = { manifest, stages: ["conformance"], suites: ["models"], outDir } as const;
    const { folder, reports } = await run({ ...request, reporters: [broken, own("mine", () => "mine"), "badge"] });
    expect(reports.slice(3).map(({ name, problem }) => [name, problem])).toEqual([
      ["broken", "no"],
      ["mine", null],
      ["badge", null],
    ]);
    expect(readFileSync(join(folder, "mine.txt"), "utf8")).toBe("mine");
  });

  it("ends with what it has when the program aborts", async () => {
    const controller = new AbortController();
    const { result } = await run({
      manifest: service.manifest,
      stages: ["conformance"],
      outDir,
      signal: controller.signal,
      onProgress: ({ kind }) => kind === "advanced" && controller.abort(),
    });
    expect(result).toMatchObject({ verdict: "interrupted", exitCode: 130 });
  });
});

it("a run with a mutant that a program started can be replayed by the command", async () => {
  const request = { mutants: ["models/owner-absent"], variants: ["limits/sliding-log"], seed: 4 };
  const { result, folder } = await run({ ...request, stages: ["conformance"], suites: ["models"], outDir });
  const { record } = await readRun(folder);
  expect(record).toMatchObject(request);
  const finding = result.findings.find(({ verdict }) => verdict === "fail")!;
  const replayed = await runAssay(["replay", folder, finding.id]);
  expect(replayed).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("still fails") });
});

describe("a request that cannot be used", () => {
  const problemsOf = (request: object): readonly string[] => {
    try {
      readRunRequest({ env: {}, ...request });
      return [];
    } catch (error) {
      if (error instanceof ConfigError) return error.message.split("\n");
      throw error;
    }
  };
  const baseUrl = "http://127.0.0.1:1";
  const key = "sk_test_secret_0001";

  it.each<[object, RegExp]>([
    [{ baseUrl: undefined }, /baseUrl: it is given, but undefined/],
    [{ manifest: undefined }, /manifest: it is given, but undefined/],
    [{ baseURL: baseUrl }, /baseURL: unknown member .*did you mean baseUrl/],
    [{ stages: ["conformence"] }, /stages: "conformence" is not known \(did you mean conformance\?\)/],
    [{ stages: [] }, /nothing would be tested/],
    [{ suites: ["model"] }, /did you mean models/],
    [{ cases: ["models/lst"] }, /did you mean models\/list/],
    [{ seed: -1 }, /seed: -1 is no seed/],
    [{ reporters: ["juint"] }, /unknown reporter "juint"/],
    [{ mutants: ["none/such"] }, /none\/such/],
    [{ baseUrl, key, mutants: ["models/owner-absent"] }, /change the embedded reference service/],
    [{ baseUrl }, /no key of the target is given \(expected key, or the variable ASSAY_API_KEY\)/],
    [{ baseUrl, key: "" }, /no key of the target is given/],
    [{ key }, /no target that the key belongs to/],
    [{ baseUrl: "ftp://127.0.0.1", key }, /^options: target\.baseUrl: "ftp:.*absolute http or https URL/],
    [{ baseUrl, key: `${key}\n` }, /characters that a header cannot contain/],
    [{ key, config: {} }, /baseUrl is missing/],
    [{ baseUrl, key, config: { permisions: {} } }, /did you mean permissions/],
    [{ baseUrl, config: { keys: { primary: key, secondary: key } } }, /same key as primary/],
    [{ config: "/none/such.yaml" }, /there is no such file/],
    [{ config: join(import.meta.dirname, "make/none.yaml"), key }, /no key with the path of a manifest/],
  ])("%j is refused", (request, message) => {
    const problems = problemsOf(request);
    expect(problems.join("\n")).toMatch(message);
    expect(problems.join("\n")).not.toContain(key);
  });

  it("reports all problems at once", () => expect(problemsOf({ stages: ["x"], suites: ["y"], seed: 0.5 })).toHaveLength(3));

  it("leaves out keys without a value, with a note", () => {
    const notes: unknown[] = [];
    const options = readRunRequest({
      baseUrl,
      key,
      config: { keys: { readOnly: undefined, admin: { secret: "sk_test_secret_0002", id: "k2" } } },
      env: {},
      onProgress: (event) => notes.push(event),
    });
    expect(options.manifest?.keys).toMatchObject({
      primary: { secret: key },
      admin: { secret: "sk_test_secret_0002", id: "k2" },
    });
    expect(options.manifest?.keys).not.toHaveProperty("readOnly");
    expect(notes).toEqual([{ kind: "note", text: "key readOnly is left out: its secret is not set" }]);
  });

  it("keeps the keys, permissions and headers of a config with its own base URL", () => {
    const notes: unknown[] = [];
    const config = {
      target: { name: "staging", baseUrl: "http://127.0.0.1:2", headers: { "x-gateway-key": "of-staging" }, timeoutMs: 900 },
      keys: { primary: "sk_test_secret_0001", admin: "sk_test_secret_0002" },
      permissions: { patchSettings: true },
      budget: { maxRequests: 7 },
    };
    const onProgress = (event: unknown): void => void notes.push(event);
    const other = readRunRequest({ baseUrl, key: "sk_test_secret_0009", config, env: {}, onProgress }).manifest;
    expect(other).toMatchObject({ target: { baseUrl, headers: {}, timeoutMs: 900 }, budget: { maxRequests: 7 } });
    expect(other?.keys).toEqual({ primary: { secret: "sk_test_secret_0009", id: null, createdAtMs: null } });
    expect(other?.permissions.patchSettings).toBe(false);
    expect(notes).toEqual([{ kind: "note", text: expect.stringContaining("its keys are not sent") as string }]);
    expect(
      readRunRequest({ baseUrl, config, env: { ASSAY_API_KEY: "sk_test_secret_0008" } }).manifest?.keys["primary"]?.secret,
    ).toBe("sk_test_secret_0008");
    expect(problemsOf({ baseUrl, config }).join("\n")).toContain("no key of the target is given");
    const own = readRunRequest({ baseUrl: "http://127.0.0.1:2/", config, env: {} }).manifest;
    expect(Object.keys(own?.keys ?? {})).toEqual(["primary", "admin"]);
    const free = readRunRequest({ baseUrl, config: { keys: config.keys }, env: {} }).manifest;
    expect(Object.keys(free?.keys ?? {})).toEqual(["primary", "admin"]);
  });

  it("fills in what the command line fills in", () => {
    expect(readRunRequest({ env: {} })).toMatchObject({
      stages: ["conformance", "limits", "load"],
      manifest: null,
      suites: [],
      cases: [],
      exam: null,
      outDir: "reports",
      seed: 1,
      strict: false,
      reporters: [],
    });
    expect(readRunRequest({ env: {} }).profiles.map(({ profile }) => profile.id)).toEqual(["smoke"]);
    expect(readRunRequest({ env: {}, stages: ["limits"] }).profiles).toEqual([]);
  });
});
