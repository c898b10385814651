import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { writeFileSync } from "node:fs";
import { createRandom } from "../src/core/random.ts";
import type { Exchange } from "../src/core/exchange/exchange.ts";
import type { LimitOp } from "../src/limits/history/op.ts";
import { readOp } from "../src/limits/history/history.ts";
import { createRecordLog } from "../src/load/ledger/record-log.ts";
import { readProfile } from "../src/load/profile/read-profile.ts";
import type { LoadRecord } from "../src/load/samples/load-record.ts";
import { runLoadProfile } from "../src/load/send/run-load-profile.ts";
import { openTarget } from "../src/run/open-target.ts";
import { createLedgerFile } from "../src/run/record/ledger-file.ts";
import { logWatch } from "../src/run/record/log-watch.ts";
import { readLedger } from "../src/run/record/read-ledger.ts";
import type { LimitWatch } from "../src/run/traffic/watch-limits.ts";
import { redactManifest } from "../src/config/redact-manifest.ts";
import { createWire } from "../src/wire/client/wire.ts";

/*
 * What the load ledger costs: CPU of a request with it and without, in turns; bytes of a record; judging a million records.
 *   npx tsx --expose-gc bench/load-ledger.bench.ts
 */
const folder = mkdtempSync(join(tmpdir(), "assay-ledger-bench-"));
const tool = { name: "assay", version: "bench" } as const;
const noWatch: LimitWatch = { onExchange() {}, onOp() {}, figure: () => null, checks: () => [], findings: () => [] };
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
      durationSeconds: 4,
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
    limits: watch.figure,
    ...(opened === null ? {} : { ledger: opened.file.sink }),
  });
  await opened?.file.close(false);
  const { user, system } = process.cpuUsage(before);
  await wire.close();
  const { sent } = result.counts;
  return { micros: (user + system) / sent, bytes: opened === null ? 0 : statSync(opened.path).size / sent, sent };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const workloads = [
  { endpoint: "models" },
  { endpoint: "chat", stream: false, promptTokens: 20, outputTokens: 20 },
  { endpoint: "chat", stream: true, promptTokens: 20, outputTokens: 20 },
];
const figures: object[] = [];
for (const workload of workloads) {
  const [bare, kept]: [number[], number[]] = [[], []];
  let bytes = 0;
  for (let round = 0; round < 3; round += 1) {
    bare.push((await measure(workload, false)).micros);
    const one = await measure(workload, true);
    kept.push(one.micros);
    bytes = one.bytes;
  }
  const figure = {
    workload,
    microsWithout: median(bare),
    microsWith: median(kept),
    ratio: median(kept) / median(bare),
    bytesPerRecord: bytes,
  };
  figures.push(figure);
  say(JSON.stringify(figure));
}
await target.close();

/** A million answers without events, with what the limiter checks saw of them. */
const many = 1_000_000;
const random = createRandom(7);
const { path, file } = openFile();
const record: LoadRecord = {
  seq: 0,
  endpoint: "chat",
  label: "chat",
  phase: "measure",
  step: 0,
  intendedMs: 0,
  issuedMs: 0,
  sentMs: 0,
  headersMs: 0,
  firstByteMs: 0,
  firstEventMs: null,
  firstTokenMs: null,
  firstTokenEarliestMs: null,
  firstOutputMs: null,
  answeredMs: 0,
  endMs: 0,
  status: 200,
  outcome: "ok",
  notSent: null,
  attempt: 1,
  good: true,
  promptTokens: 20,
  outputTokens: 20,
  tokensEstimated: false,
  groups: [],
  contentEvents: 0,
  tpotMs: null,
  tpotEstimated: false,
  stream: null,
  serverTimings: null,
  reusedConnection: true,
  connection: 1,
};
const quota = { limit: 1_000_000, remaining: 999_999, resetMs: 1_763_800_000_000, resetFormat: "unix-seconds" } as const;
const op: LimitOp = {
  seq: 0,
  key: "load",
  endpoint: "chat",
  policy: "",
  phase: "load",
  label: "chat#0",
  path: "/v1/chat/completions",
  sentMs: 0,
  headersMs: 0,
  endMs: 0,
  status: 200,
  outcome: "admitted",
  cause: null,
  requests: quota,
  tokens: quota,
  headerProblems: [],
  retry: null,
  dateMs: 1_763_800_000_000,
  usedTokens: 40,
  promptTokens: 20,
  completionTokens: 20,
  streamed: false,
  maxTokens: 20,
  cached: false,
};
const micro = (ms: number): number => Math.round(ms * 1000) / 1000;
file.write({ kind: "calibration", calibration: null });
const watch = logWatch({ watch: noWatch, write: file.write, manifest, mask: (text) => text, whole: false });
const profile = readProfile(
  JSON.stringify({
    id: "million",
    title: "Million",
    arrivals: { kind: "constant", ratePerSecond: 2000 },
    durationSeconds: 500,
    workload: [{ endpoint: "chat" }],
  }),
  "million",
);
file.write({ kind: "profile", profile, workload: "chat", seed: 1, virtualTime: false, loops: null });
file.write({ kind: "start", loop: 0, startMs: 0, fromMs: 0 });
const log = createRecordLog(0, file.sink);
const packing = process.cpuUsage();
for (let index = 0; index < many; index += 1) {
  const at = micro(index / 2 + random.next());
  const end = micro(at + 5 + 40 * random.next());
  log.add({
    ...record,
    seq: index,
    intendedMs: at,
    issuedMs: micro(at + random.next()),
    sentMs: micro(at + 1.2),
    headersMs: micro(end - 0.4),
    firstByteMs: micro(end - 0.2),
    answeredMs: end,
    endMs: end,
    connection: random.integer(1, 64),
  });
  watch.onOp({
    ...op,
    seq: index,
    label: `chat#${index}`,
    sentMs: at,
    headersMs: micro(end - 0.4),
    endMs: end,
    requests: { ...quota, remaining: 999_999 - (index % 60_000) },
  });
  if (index % 50_000 === 0) await new Promise((resolve) => setImmediate(resolve));
}
log.flush();
const packed = process.cpuUsage(packing);
file.write({
  kind: "share",
  loop: 0,
  areaMs: many * 25,
  planned: many,
  retried: 0,
  races: { count: 0, outOf: many },
  toMs: 500_000,
  endMs: 500_100,
  rates: [],
  stopReason: null,
});
file.write({ kind: "measured" });
watch.checks();
await file.close(false);
(globalThis as { gc?: () => void }).gc?.();
const cpu = process.cpuUsage();
const began = performance.now();
let most = 0;
const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
const { load, problems } = await readLedger(path, { strict: false });
clearInterval(timer);
most = Math.max(most, process.memoryUsage().rss);
const judging = process.cpuUsage(cpu);
const million = {
  records: load.load?.profiles[0]?.counts.completed,
  problems,
  bytesPerRecord: statSync(path).size / many,
  microsToWrite: (packed.user + packed.system) / many,
  judgedInSeconds: (performance.now() - began) / 1000,
  judgedCpuSeconds: (judging.user + judging.system) / 1e6,
  mostMegabytes: Math.round(most / 1e6),
};
say(JSON.stringify(million));
writeFileSync(process.argv[2] ?? join(folder, "figures.json"), JSON.stringify({ figures, million }, null, 1));
if (process.argv[2] === undefined) rmSync(folder, { recursive: true });
