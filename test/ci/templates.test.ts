import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type ReferenceService, startReferenceService } from "../../src/index.ts";
import { commandFile } from "../cli/run-assay.ts";
import { engineFlags } from "../make/runner/engine-flags.ts";
import { readXml } from "../report/read-xml.ts";

const root = resolve(import.meta.dirname, "../..");

interface GitLabJob {
  readonly variables: Readonly<Record<string, string>>;
  readonly script: readonly string[];
  readonly artifacts: { readonly when: string; readonly paths: readonly string[]; readonly reports: { readonly junit: string } };
}

const { assay: job } = parse(readFileSync(join(root, "ci/gitlab.yml"), "utf8")) as { readonly assay: GitLabJob };

let service: ReferenceService | null = null;
afterEach(async () => {
  await service?.close();
  service = null;
});

interface JobEnded {
  readonly exitCode: number;
  readonly log: string;
  readonly folder: string;
}

/**
 * The script of the job as the runner does it: one shell, ended by the first line that fails.
 * Its `npx` starts the built command, for a short check.
 */
async function runJob(mutants: readonly string[]): Promise<JobEnded> {
  service = await startReferenceService({ seed: 9, mutants });
  const [folder, tools] = [mkdtempSync(join(tmpdir(), "assay-gitlab-")), mkdtempSync(join(tmpdir(), "assay-npx-"))];
  const npx = join(tools, "npx");
  writeFileSync(
    npx,
    `#!/bin/sh\nwhile [ "$1" != assay ]; do echo "npx $1"; shift; done\nshift\nexec "${process.execPath}" ${engineFlags.join(" ")} "${commandFile}" "$@" --suite=models\n`,
  );
  chmodSync(npx, 0o755);
  const own = { PATH: `${tools}${delimiter}${process.env["PATH"] ?? ""}`, HOME: folder, CI_PROJECT_DIR: folder };
  const secret = service.manifest.keys["primary"]!.secret;
  const env = { ...own, ...job.variables, ASSAY_BASE_URL: service.url, ASSAY_API_KEY: secret, ASSAY_COMMAND: "check" };
  const child = spawn("bash", ["-eo", "pipefail", "-c", job.script.join("\n")], { cwd: folder, env });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (log += text));
  const exitCode = await new Promise<number>((ended) => child.once("close", (code) => ended(code ?? 1)));
  return { exitCode, log, folder };
}

describe("the GitLab template", () => {
  it("keeps JUnit and the report whatever the exit code, and the code itself", async () => {
    const { exitCode, log, folder } = await runJob(["models/owner-absent"]);
    expect(exitCode).toBe(1);
    expect(log).toContain("npx --package=@assay-harness/assay");
    expect(job.artifacts.when).toBe("always");
    const junit = readXml(readFileSync(join(folder, job.artifacts.reports.junit), "utf8"));
    expect(Number(junit.attributes.get("failures"))).toBeGreaterThan(0);
    const [reports] = job.artifacts.paths;
    const run = readdirSync(join(folder, reports!)).find((name) => existsSync(join(folder, reports!, name, "report.html")));
    expect(run).toMatch(/^\d{4}-/);
  });
});

describe("the Dockerfile", () => {
  const lines = readFileSync(join(root, "Dockerfile"), "utf8")
    .split("\n")
    .filter((line) => /^[A-Z]+ /.test(line));
  const ignored = readFileSync(join(root, ".dockerignore"), "utf8").trim().split("\n");

  it("copies only what exists and what .dockerignore lets through", () => {
    const sources = lines
      .filter((line) => line.startsWith("COPY ") && !line.includes("--from"))
      .flatMap((line) => line.split(" ").slice(1, -1));
    expect(sources.length).toBeGreaterThan(5);
    expect(sources.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(ignored[0]).toBe("*");
    expect(sources.filter((path) => !ignored.includes(`!${path}`))).toEqual([]);
  });

  it("ends as a user that is not root, starts the command, and holds no key", () => {
    const last = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));
    expect(last.findLast((line) => line.startsWith("USER "))).toBe("USER node");
    expect(last).toContain('ENTRYPOINT ["node", "/app/dist/src/cli/bin.js"]');
    expect(last.filter((line) => line.startsWith("ENV ") && /key|secret|token/i.test(line))).toEqual([]);
  });
});
