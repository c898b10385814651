import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { run, startReferenceService } from "../../../src/index.ts";
import { loadProfile } from "../../../src/load/plan/read-profile.ts";
import { judgeRun } from "../../../src/run/record/judge-run.ts";
import { allJudges } from "../../../src/conformance/judges/all-judges.ts";
import type { LoadLine } from "../../../src/run/record/ledger-file.ts";
import { readRun } from "../../../src/run/record/read-run.ts";
import { rejudgeRun } from "../../../src/run/record/rejudge-run.ts";
import { unpackSaid } from "../../../src/load/ledger/said-log.ts";
import { shortProfile } from "../../make/load/run-against.ts";
import { runAssay } from "../../cli/run-assay.ts";
import { keep } from "../../make/keep.ts";

const outDir = mkdtempSync(join(tmpdir(), "assay-ledger-"));
const service = await startReferenceService({ seed: 3 });
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
const { result, folder } = await run({ manifest: service.manifest, stages: ["load"], profiles, outDir });
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

  it("is what its ledger holds where assay failed in the midst of it", async () => {
    const profiles = ["first", "second"].map((id) => ({ profile: shortProfile({ id, durationSeconds: 0.5 }), trace: null }));
    const broken = await run({
      manifest: service.manifest,
      stages: ["load"],
      profiles,
      outDir,
      onProgress: (event) => {
        if (event.kind === "stage-started" && event.title.startsWith("second")) throw new Error("the screen is gone");
      },
    });
    expect(broken.result.reason).toContain("the screen is gone");
    expect(broken.result.load?.profiles.map(({ id }) => id)).toEqual(["first"]);
    const { result: again, problems } = await rejudgeRun(broken.folder);
    expect([problems, JSON.stringify(again)]).toEqual([[], JSON.stringify(broken.result)]);
  });

  it("says of each answer which judge found what in it", async () => {
    const other = keep(await startReferenceService({ seed: 3, mutants: ["models/owner-absent"] }));
    const profile = shortProfile({ id: "said", durationSeconds: 0.5, workload: [{ endpoint: "models" }] });
    const one = await run({ manifest: other.manifest, stages: ["load"], profiles: [{ profile, trace: null }], outDir });
    const [violation] = one.result.passive.violations;
    const lines = readFileSync(join(one.folder, "load.ndjson"), "utf8").trim().split("\n");
    const said = lines
      .map((line) => JSON.parse(line) as LoadLine)
      .flatMap((line) => (line.kind === "said" ? unpackSaid(line) : []));
    expect(said.map(({ seq }) => seq)).toEqual(expect.arrayContaining([...(violation?.exchanges ?? [])]));
    const count = said.filter(({ requirement }) => requirement === violation?.requirement).length;
    expect([count, count > 5, allJudges.some(({ id }) => id === said[0]?.judge)]).toEqual([violation?.count, true, true]);
    // Counts that are not those of the answers are no counts of this run.
    const copy = mkdtempSync(join(outDir, "copy-"));
    cpSync(one.folder, copy, { recursive: true });
    writeFileSync(join(copy, "load.ndjson"), `${lines.filter((line) => !line.includes('"kind":"said"')).join("\n")}\n`);
    expect((await readRun(copy)).problems.join("\n")).toMatch(/judges said so of 0 answers/);
  });

  it("is not reported without a word by the command where a number was changed (edited-number.prop.test.ts: in every file)", async () => {
    for (const name of ["run.json", "load.ndjson", "result.json"]) {
      const text = readFileSync(join(folder, name), "utf8");
      const numbers = [...text.matchAll(/\d+/g)];
      const { 0: number, index } = numbers[Math.floor((numbers.length - 1) / 2)]!;
      const copy = await copyOf();
      const other = number.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10));
      writeFileSync(join(copy, name), text.slice(0, index) + other + text.slice(index + number.length));
      const { stderr, exitCode } = await runAssay(["report", copy]);
      expect(`${name}: ${stderr}`).toMatch(new RegExp(`${name.replace(".", "\\.")}: [^]*${name.split(".")[0]}`));
      if (name.endsWith("ndjson")) expect(`${name} ${exitCode}`).not.toBe(`${name} 0`);
    }
  });

  it("is not valid where the end of a file was cut off: result, terminal, page and exit code say so", async () => {
    for (const name of ["load.ndjson", "evidence.ndjson"]) {
      const copy = await copyOf();
      truncateSync(join(copy, name), Math.floor(statSync(join(copy, name)).size / 2));
      const { stdout, exitCode } = await runAssay(["report", copy]);
      expect(exitCode).toBe(1);
      expect(stdout.replaceAll(/\s+/g, " ")).toContain(`${name} was cut`);
      expect(readFileSync(join(copy, "report.html"), "utf8")).toContain(`${name} was cut`);
      expect(readFileSync(join(copy, "result.json"), "utf8")).toContain(`${name} was cut`);
    }
  });
});
