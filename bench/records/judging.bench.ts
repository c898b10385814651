import { mkdtempSync, rmSync, statSync } from "node:fs";
import { fork } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { redactManifest } from "../../src/config/redact-manifest.ts";
import { createLedgerFile } from "../../src/run/record/ledger-file.ts";
import { readLedger } from "../../src/run/record/read-ledger.ts";
import { manifestFor } from "../../test/make/load/load-target.ts";
import { writeDrawnLedger } from "./write-drawn-ledger.ts";

/*
 * Measures judging a million records again, each kind in a process of its own: npx tsx bench/records/judging.bench.ts [records]
 */
const [, , first = "1000000", path] = process.argv;
if (path === undefined) await measureAll(Number(first));
else await judge(path);

async function measureAll(most: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "assay-judging-bench-"));
  for (const { arrivals, records } of [
    { arrivals: 0, records: most },
    { arrivals: 20, records: most },
    // As many arrivals take minutes to draw.
    { arrivals: 300, records: most / 20 },
  ]) {
    const file = join(folder, `${arrivals}.ndjson`);
    const header = { kind: "header", schemaVersion: "1.0", runId: "bench", tool: { name: "assay", version: "bench" } } as const;
    const microsToWrite = await writeDrawnLedger({
      file: createLedgerFile(file, { header, mask: (text) => text }),
      manifest: redactManifest(manifestFor("http://127.0.0.1:1")),
      records,
      arrivals,
    });
    const judged = await inProcessOfItsOwn(file);
    const bytesPerRecord = statSync(file).size / records;
    process.stdout.write(`${JSON.stringify({ records, arrivals, bytesPerRecord, microsToWrite, ...judged })}\n`);
    rmSync(file);
  }
  rmSync(folder, { recursive: true });
}

function inProcessOfItsOwn(file: string): Promise<object> {
  return new Promise((resolve, reject) => {
    // As src/cli/bin.ts has it.
    const execArgv = [...process.execArgv, "--heap-growing-percent=30"];
    const child = fork(import.meta.filename, ["judge", file], { execArgv });
    child.once("message", (figures: object) => resolve(figures));
    child.once("exit", (code) => reject(new Error(`judging ended with code ${code}`)));
  });
}

async function judge(file: string): Promise<void> {
  const before = process.cpuUsage();
  const began = performance.now();
  const { load, problems } = await readLedger(file, { strict: false });
  const { user, system } = process.cpuUsage(before);
  process.send?.({
    completed: load.load?.profiles[0]?.counts.completed,
    problems,
    seconds: (performance.now() - began) / 1000,
    cpuSeconds: (user + system) / 1e6,
    mostMegabytes: Math.round(process.resourceUsage().maxRSS / 1000),
  });
  process.disconnect?.();
}
