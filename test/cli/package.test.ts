import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyFolder } from "./run-assay.ts";

const root = resolve(import.meta.dirname, "../..");

/** Without what an outer npx asks for: a test run under `npx -p node@22` must not hand its packages to the npx in here. */
const { npm_config_package: _package, npm_config_call: _call, ...environment } = process.env;

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

describe("the npm package", () => {
  it("installs into an empty folder, and its command works there", () => {
    const folder = emptyFolder();
    const run = (command: string, args: readonly string[], cwd: string): string =>
      execFileSync(command, args, { cwd, env: environment, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    const [packed] = JSON.parse(
      run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], root),
    ) as readonly Packed[];
    const paths = (packed?.files ?? []).map((file) => file.path);
    const rooms = new Set(["ci", "dashboards", "dist", "docs", "examples", "reports"]);
    expect(paths.filter((path) => path.includes("/") && !rooms.has(path.slice(0, path.indexOf("/"))))).toEqual([]);
    expect(paths.filter((path) => path.startsWith("reports/")).sort()).toEqual([
      "reports/README.md",
      "reports/sample/README.md",
      "reports/sample/report.html",
    ]);
    expect(
      paths.filter((path) => /(?:^|\/)(?:\.env|\.npmrc|node_modules|test)(?:\/|$)|\.test\.ts$|\.ndjson$/.test(path)),
    ).toEqual([]);
    writeFileSync(join(folder, "package.json"), '{ "private": true }');
    run(
      "npm",
      ["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", `./${packed?.filename ?? ""}`],
      folder,
    );
    run(join(folder, "node_modules/.bin/assay"), ["check", "--demo", "--suite", "models"], folder);
    const [runId] = run("ls", ["reports"], folder).trim().split("\n");
    const result = JSON.parse(readFileSync(join(folder, "reports", runId ?? "", "result.json"), "utf8")) as Record<
      string,
      unknown
    >;
    expect(result).toMatchObject({ verdict: "passed", exitCode: 0 });
  });
});
