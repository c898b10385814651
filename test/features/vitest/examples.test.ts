import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ReferenceService, startReferenceService } from "../../../src/index.ts";
import { readPackage } from "../../../src/schemas/read-package.ts";

const root = resolve(import.meta.dirname, "../../..");
const packageName = readPackage().name;

/** The folder that `npm install` makes, once for all: assay is a copy, as vitest would read a link as source. */
const modules = join(mkdtempSync(join(tmpdir(), "assay-installed-")), "node_modules");
beforeAll(() => {
  const installed = join(modules, packageName);
  mkdirSync(installed, { recursive: true });
  for (const name of ["package.json", "dist"]) cpSync(join(root, name), join(installed, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(installed, "node_modules"));
  symlinkSync(join(root, "node_modules/vitest"), join(modules, "vitest"));
});

/** A copy of an example, with the built package. */
function install(example: string): string {
  const folder = mkdtempSync(join(tmpdir(), "assay-example-"));
  cpSync(join(root, "examples", example), folder, { recursive: true });
  symlinkSync(modules, join(folder, "node_modules"));
  return folder;
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function runIn(folder: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  return new Promise((resolveEnded) => {
    const options = { cwd: folder, env: { PATH: process.env["PATH"], HOME: folder, ...env }, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      resolveEnded({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

interface VitestReport {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: "passed" | "failed" | "skipped";
      readonly failureMessages: readonly string[];
      readonly meta?: unknown;
    }[];
  }[];
}

const vitest = join(root, "node_modules/vitest/vitest.mjs");
let service: ReferenceService | null = null;
afterEach(async () => {
  await service?.close();
  service = null;
});

async function serve(mutants: readonly string[] = []): Promise<Readonly<Record<string, string>>> {
  service = await startReferenceService({ seed: 6, mutants });
  return { TARGET_URL: service.url, ASSAY_API_KEY: service.manifest.keys["primary"]!.secret };
}

async function runVitest(
  env: Readonly<Record<string, string>>,
): Promise<Ended & { readonly tests: Map<string, string>; readonly failures: string }> {
  const ended = await runIn(install("vitest"), [vitest, "run", "--reporter=json"], env);
  const report = JSON.parse(ended.stdout.slice(ended.stdout.indexOf("{"))) as VitestReport;
  const results = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  return {
    ...ended,
    tests: new Map(results.map(({ title, status }) => [title.split(" ")[0]!, status])),
    failures: results.flatMap(({ failureMessages }) => failureMessages).join("\n"),
  };
}

describe("the example for vitest", () => {
  it("has a test for each requirement of its suites and ends green on a conforming server", async () => {
    const { code, tests } = await runVitest(await serve());
    expect(code).toBe(0);
    expect([...tests.values()].filter((status) => status === "failed")).toEqual([]);
    expect(tests.get("complete")).toBe("passed");
    expect(tests.get("MOD-007")).toBe("passed");
    expect([...tests.keys()].map((id) => id.slice(0, 4)).filter((id) => id === "CHAT")).toEqual([]);
  });

  it("fails the requirement that a server violates, and no other", async () => {
    const { code, tests, failures } = await runVitest(await serve(["models/owner-absent"]));
    expect(code).toBe(1);
    expect([...tests].filter(([, status]) => status === "failed").map(([id]) => id)).toEqual(["MOD-007"]);
    expect(failures).toContain("owned_by is missing");
    expect(failures).toContain("report.html");
  });

  it("fails as incomplete where nothing answers, and calls nothing passed", async () => {
    const { code, tests } = await runVitest({ TARGET_URL: "http://127.0.0.1:9", ASSAY_API_KEY: "sk_test_0123456789" });
    expect(code).toBe(1);
    expect(tests.get("complete")).toBe("failed");
    expect([...tests.values()].filter((status) => status === "passed")).toEqual([]);
  });

  it("sends nothing while tests are collected", async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.end();
    }).listen(0, "127.0.0.1");
    await new Promise((listening) => server.once("listening", listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const folder = install("vitest");
    const { code, stdout } = await runIn(folder, [vitest, "list"], { TARGET_URL: url, ASSAY_API_KEY: "sk_test_0123456789" });
    await new Promise((closed) => server.close(closed));
    expect(code).toBe(0);
    expect(stdout).toContain("MOD-007");
    expect({ requests, folders: readdirSync(folder).includes("reports") }).toEqual({ requests: 0, folders: false });
  });

  it("refuses to begin without a target", async () => {
    const { code, stderr } = await runIn(install("vitest"), [vitest, "run"], { ASSAY_API_KEY: "sk_test_0123456789" });
    expect(code).toBe(1);
    expect(stderr).toContain("baseUrl: it is given, but undefined");
  });
});

describe("the example for node:test", () => {
  const tap = (stdout: string, form: RegExp): readonly string[] => [...stdout.matchAll(form)].map(([, id]) => id!);
  const failing = /^ *not ok \d+ - (?:conformance\.\w+\/)?(\S+)/gm;

  it("ends green on a conforming server", async () => {
    const { code, stdout } = await runIn(install("node-test"), ["--test", "--test-reporter=tap"], await serve());
    expect({ code, failed: tap(stdout, failing) }).toEqual({ code: 0, failed: [] });
    expect(tap(stdout, /^ *ok \d+ - conformance\.(models\/MOD-007)/gm)).toEqual(["models/MOD-007"]);
  });

  it("fails the requirement that a server violates, and no other", async () => {
    const { code, stdout } = await runIn(
      install("node-test"),
      ["--test", "--test-reporter=tap"],
      await serve(["models/owner-absent"]),
    );
    expect(code).toBe(1);
    expect(tap(stdout, failing).filter((id) => /[A-Z]{3}|complete/.test(id))).toEqual(["MOD-007"]);
  });
});
