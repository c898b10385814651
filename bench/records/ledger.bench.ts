import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import { readOp } from "../../src/limits/history/history.ts";
import { readProfile } from "../../src/load/plan/read-profile.ts";
import { runLoadProfile } from "../../src/load/run-load-profile.ts";
import { openTarget } from "../../src/run/open-target.ts";
import { createLedgerFile } from "../../src/run/record/ledger-file.ts";
import { logWatch } from "../../src/run/record/log-watch.ts";
import type { LimitWatch } from "../../src/run/traffic/watch-limits.ts";
import { redactManifest } from "../../src/config/redact-manifest.ts";
import { createWire } from "../../src/wire/client/wire.ts";

/*
 * Measures the cost of the load ledger: CPU of a request with it and without, in blocks of 2 s that take turns, and bytes of a
 * record. The ratio is the median of those of neighbouring blocks, so that a machine that is busy for a while does not count
 * for one side. npx tsx bench/records/ledger.bench.ts [pairs of blocks]
 */
const folder = mkdtempSync(join(tmpdir(), "assay-ledger-bench-"));
const tool = { name: "assay", version: "bench" } as const;
const noWatch: LimitWatch = {
  onExchange() {},
  onOp() {},
  onProbe() {},
  finish: () => ({ figures: { over_admission: null, violations: null }, checks: [], findings: [] }),
};
let files = 0;
const openFile = (): { readonly path: string; readonly file: ReturnType<typeof createLedgerFile> } => {
  const path = join(folder, `${(files += 1)}.ndjson`);
  const header = { kind: "header", schemaVersion: "1.0", runId: "bench", tool } as const;
  return { path, file: createLedgerFile(path, { header, mask: (text) => text }) };
};
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const target = await openTarget({ manifest: null, variants: [], mutants: [], seed: 1 }, { latency: "instant", time: "real" });
const manifest = redactManifest(target.manifest);

async function measure(
  workload: object,
  withLedger: boolean,
): Promise<{ readonly micros: number; readonly bytes: number; readonly sent: number }> {
  const profile = readProfile(
    JSON.stringify({
      id: "bench",
      title: "Bench",
      arrivals: { kind: "closed", concurrency: 16 },
      durationSeconds: 2,
      workload: [workload],
    }),
    "bench",
  );
  const wire = createWire({ manifest: target.manifest, clock: target.clock, digests: false });
  const opened = withLedger ? openFile() : null;
  const watch =
    opened === null
      ? noWatch
      : logWatch({ watch: noWatch, write: opened.file.write, manifest, mask: (text) => text, whole: false });
  let ops = 0;
  // Without the ledger a request is read for the limit checks all the same.
  const onExchange = opened === null ? (exchange: Exchange) => void (readOp(exchange) !== null && (ops += 1)) : watch.onExchange;
  const before = process.cpuUsage();
  const result = await runLoadProfile({
    profile,
    manifest: target.manifest,
    sender: wire,
    clock: target.clock,
    seed: 1,
    onExchange,
    watched: watch.finish,
    ...(opened === null ? {} : { ledger: opened.file.sink }),
  });
  await opened?.file.close(false);
  const { user, system } = process.cpuUsage(before);
  await wire.close();
  const { sent } = result.counts;
  return { micros: (user + system) / sent, bytes: opened === null ? 0 : statSync(opened.path).size / sent, sent };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const pairs = Number(process.argv[2] ?? 9);
const workloads = [
  { endpoint: "models" },
  { endpoint: "chat", stream: false, promptTokens: 20, outputTokens: 20 },
  { endpoint: "chat", stream: true, promptTokens: 20, outputTokens: 20 },
  { endpoint: "chat", stream: true, promptTokens: 20, outputTokens: 300 },
];
for (const workload of workloads) {
  const [bare, kept, ratios]: [number[], number[], number[]] = [[], [], []];
  let bytesPerRecord = 0;
  // Both sides once before anything counts: code is compiled, connections are open.
  await measure(workload, false);
  await measure(workload, true);
  for (let pair = 0; pair < pairs; pair += 1) {
    // The second may profit from the first: they take turns at that, too.
    const order = pair % 2 === 0 ? [false, true] : [true, false];
    const micros = new Map<boolean, number>();
    for (const withLedger of order) {
      const one = await measure(workload, withLedger);
      micros.set(withLedger, one.micros);
      if (withLedger) bytesPerRecord = one.bytes;
    }
    const [without = 0, withIt = 0] = [micros.get(false), micros.get(true)];
    bare.push(without);
    kept.push(withIt);
    ratios.push(withIt / without);
  }
  const spread = ratios.toSorted((a, b) => a - b).map((ratio) => ratio.toFixed(2));
  say(JSON.stringify({ workload, without: median(bare), with: median(kept), ratio: median(ratios), spread, bytesPerRecord }));
}
await target.close();
rmSync(folder, { recursive: true });
