import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Result } from "../../../src/core/result/result.ts";
import { type ReferenceService, run, startReferenceService } from "../../../src/index.ts";
import { loadProfile } from "../../../src/load/profile/read-profile.ts";
import { judgeRun } from "../../../src/run/record/judge-run.ts";
import { readRun } from "../../../src/run/record/read-run.ts";
import { shortProfile } from "../../load/run-against.ts";
import { runAssay } from "../../cli/run-assay.ts";

const outDir = mkdtempSync(join(tmpdir(), "assay-ledger-"));
let service: ReferenceService;
let result: Result;
let folder: string;

beforeAll(async () => {
  service = await startReferenceService({ seed: 3 });
  const { trace } = loadProfile("smoke");
  const common = {
    durationSeconds: 1,
    slo: { ttftMs: 2000 },
    gates: ["error_rate < 5%", "ttft.p50 < 2s", "limits.violations == 0"],
  };
  const profiles = [
    shortProfile({ ...common, id: "open", arrivals: { kind: "poisson", ratePerSecond: 30 } }),
    shortProfile({ ...common, id: "search", arrivals: { kind: "sweep", ratesPerSecond: [20, 40], secondsPerRate: 0.5 } }),
  ].map((profile) => ({ profile, trace }));
  ({ result, folder } = await run({ manifest: service.manifest, stages: ["load"], profiles, outDir }));
}, 60_000);
afterAll(async () => {
  await service.close();
  rmSync(outDir, { recursive: true });
});

async function copyOf(): Promise<string> {
  const copy = mkdtempSync(join(outDir, "copy-"));
  cpSync(folder, copy, { recursive: true });
  return copy;
}

describe("a load result", () => {
  it("follows from its ledger, byte for byte", async () => {
    expect(result.reason).not.toContain("assay itself failed");
    expect(result.load?.profiles.map(({ id, counts }) => [id, counts.completed > 15])).toEqual([
      ["open", true],
      ["search", true],
    ]);
    const { record, exchanges, load, problems } = await readRun(folder);
    expect(problems).toEqual([]);
    expect(JSON.stringify(judgeRun(record, exchanges, load))).toBe(JSON.stringify(result));
  });

  it("is not told without a word where any number of any file of the run was changed", async () => {
    const names = ["run.json", "load.ndjson", "evidence.ndjson", "result.json", "report.html", "junit.xml"];
    for (const name of names) {
      const text = readFileSync(join(folder, name), "utf8");
      const numbers = [...text.matchAll(/\d+/g)];
      // Spread over the file; the first and the last, too.
      for (let nth = 0; nth < 3; nth += 1) {
        const { 0: number, index } = numbers[Math.floor((nth * (numbers.length - 1)) / 2)]!;
        const copy = await copyOf();
        const other = number.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10));
        writeFileSync(join(copy, name), text.slice(0, index) + other + text.slice(index + number.length));
        const { stderr, exitCode } = await runAssay(["report", copy]);
        expect(`${name} ${nth}: ${stderr}`).toMatch(new RegExp(`${name.replace(".", "\\.")} \\d: [^]*${name.split(".")[0]}`));
        if (name.endsWith("ndjson")) expect(`${name} ${exitCode}`).not.toBe(`${name} 0`);
      }
    }
  }, 120_000);

  it("is not valid where the end of a file was cut off: result, terminal, page and exit code say so", async () => {
    for (const name of ["load.ndjson", "evidence.ndjson"]) {
      const copy = await copyOf();
      truncateSync(join(copy, name), Math.floor(statSync(join(copy, name)).size / 2));
      const { stdout, exitCode } = await runAssay(["report", copy]);
      expect([exitCode, exitCode === 0]).toEqual([3, false]);
      expect(stdout.replaceAll(/\s+/g, " ")).toContain(`${name} was cut`);
      expect(readFileSync(join(copy, "report.html"), "utf8")).toContain(`${name} was cut`);
      expect(readFileSync(join(copy, "result.json"), "utf8")).toContain(`${name} was cut`);
    }
  }, 60_000);
});
