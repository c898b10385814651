import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandFile } from "./run-assay.ts";

/** Node, commander and the names of commands: reading more takes longer than the answer. */
const mostModules = 50;

/** Files that the process loaded, as the engine reports them; a service that it starts has a report of its own. */
function modulesOf(...args: readonly string[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "assay-modules-"));
  try {
    const env = { ...process.env, NODE_V8_COVERAGE: folder };
    const { pid, status, stderr } = spawnSync(process.execPath, [commandFile, ...args], { env, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, stderr]);
    const own = readdirSync(folder).filter((file) => file.startsWith(`coverage-${pid}-`));
    const reports = own.map(
      (file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as { readonly result: readonly { readonly url: string }[] },
    );
    const urls = reports.flatMap(({ result }) => result.map(({ url }) => url));
    return [...new Set(urls)].filter((url) => url.startsWith("file:"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Of `assay check`, the packages that it needs among them: files are what a start waits for. */
const mostOfCheck = 450;

describe("the command", () => {
  it.each(["--version", "--help"])("answers %s without the modules that commands need", (flag) => {
    const modules = modulesOf(flag);
    expect(modules.filter((url) => /node_modules\/(?!commander\/)/.test(url))).toEqual([]);
    expect(modules.length).toBeGreaterThan(1);
    expect(modules.length).toBeLessThanOrEqual(mostModules);
  });

  it("checks a target without the modules that other commands need", () => {
    const folder = mkdtempSync(join(tmpdir(), "assay-modules-run-"));
    try {
      const modules = modulesOf("check", "--demo", "--suite", "models", "--out", folder);
      expect(modules.some((url) => url.includes("/node_modules/undici/"))).toBe(true);
      expect(modules.filter((url) => /node_modules\/(?:fastify|ioredis|bullmq|autocannon)\//.test(url))).toEqual([]);
      expect(modules.length).toBeLessThanOrEqual(mostOfCheck);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
