import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandFile } from "./run-assay.ts";

/** Node, commander and the names of commands: reading more takes longer than the answer. */
const mostModules = 50;

/** Files that the process loaded, as the engine reports them. */
function modulesOf(...args: readonly string[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "assay-modules-"));
  try {
    execFileSync(process.execPath, [commandFile, ...args], { env: { ...process.env, NODE_V8_COVERAGE: folder }, stdio: "pipe" });
    const reports = readdirSync(folder).map(
      (file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as { readonly result: readonly { readonly url: string }[] },
    );
    const urls = reports.flatMap(({ result }) => result.map(({ url }) => url));
    return [...new Set(urls)].filter((url) => url.startsWith("file:"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("the command", () => {
  it.each(["--version", "--help"])("answers %s without the modules that commands need", (flag) => {
    const modules = modulesOf(flag);
    expect(modules.filter((url) => /node_modules\/(?!commander\/)/.test(url))).toEqual([]);
    expect(modules.length).toBeGreaterThan(1);
    expect(modules.length).toBeLessThanOrEqual(mostModules);
  });
});
