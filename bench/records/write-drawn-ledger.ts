import { createRandom, type Random } from "../../src/core/random.ts";
import type { RedactedManifest } from "../../src/core/manifest.ts";
import type { LimitOp } from "../../src/limits/history/op.ts";
import { createRecordLog } from "../../src/load/ledger/record-log.ts";
import { readProfile } from "../../src/load/plan/read-profile.ts";
import { deriveGaps } from "../../src/load/samples/derive-figures.ts";
import type { LoadRecord } from "../../src/load/samples/load-record.ts";
import { givenUpRecord } from "../../src/load/samples/unanswered-record.ts";
import { createRecordStore } from "../../src/load/samples/record-store.ts";
import type { LedgerFile } from "../../src/run/record/ledger-file.ts";
import { logWatch } from "../../src/run/record/log-watch.ts";
import type { LimitWatch } from "../../src/run/traffic/watch-limits.ts";

const noWatch: LimitWatch = {
  onExchange() {},
  onOp() {},
  onProbe() {},
  finish: () => ({ figures: { over_admission: null, violations: null }, checks: [], findings: [] }),
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
  lateMs: 0,
  cause: null,
  requests: quota,
  tokens: quota,
  headerProblems: [],
  retry: null,
  dateMs: 1_763_800_000_000,
  ownOffsetMs: null,
  usedTokens: 40,
  promptTokens: 20,
  cachedTokens: null,
  completionTokens: 20,
  streamed: false,
  maxTokens: 20,
  cached: false,
};
const ratePerSecond = 2000;

export interface DrawnLedger {
  readonly file: LedgerFile;
  readonly manifest: RedactedManifest;
  readonly records: number;
  /** Arrivals of a stream; 0: answers that are no streams. */
  readonly arrivals: number;
  /** Default: none. */
  readonly gates?: readonly string[];
}

/** Writes a ledger of so many drawn answers at 2,000 a second, with what the limit checks saw of them. Resolves with the CPU of a record, microseconds. */
export async function writeDrawnLedger({ file, manifest, records, arrivals, gates = [] }: DrawnLedger): Promise<number> {
  const random = createRandom(7);
  const durationSeconds = Math.ceil(records / ratePerSecond);
  const arrivalsOf = { kind: "constant", ratePerSecond };
  const profile = readProfile(
    JSON.stringify({ id: "drawn", title: "Drawn", arrivals: arrivalsOf, durationSeconds, workload: [{ endpoint: "chat" }] }),
    "drawn",
  );
  file.write({ kind: "calibration", calibration: null });
  const watch = logWatch({ watch: noWatch, write: file.write, manifest, mask: (text) => text, whole: false });
  file.write({ kind: "profile", profile: { ...profile, gates }, workload: "chat", seed: 1, virtualTime: false, loops: null });
  file.write({ kind: "start", loop: 0, startMs: 0, fromMs: 0 });
  const log = createRecordLog(0, file.sink);
  let store = createRecordStore({ onRecord: log.add });
  const before = process.cpuUsage();
  for (let index = 0; index < records; index += 1) {
    const record = drawRecord(random, index, arrivals);
    store.add(record);
    watch.onOp({
      ...op,
      seq: index,
      label: `chat#${index}`,
      sentMs: record.sentMs,
      headersMs: record.headersMs ?? 0,
      endMs: record.endMs,
      requests: { ...quota, remaining: 999_999 - (index % 60_000) },
    });
    if (index % 20_000 !== 0) continue;
    for (let second = 0; second < 10; second += 1)
      log.health({ second: index / ratePerSecond + second, loopUtilization: 0.4, loopDelayMaxMs: 11, runDelayMs: 3 });
    await new Promise((resolve) => setImmediate(resolve));
  }
  log.flush();
  const { user, system } = process.cpuUsage(before);
  store = createRecordStore();
  file.write({
    kind: "share",
    loop: 0,
    areaMs: records * 25,
    planned: records,
    retried: 0,
    races: { count: 0, outOf: records },
    toMs: 1000 * durationSeconds,
    endMs: 1000 * durationSeconds + 100,
    rates: [],
    stopReason: null,
  });
  file.write({ kind: "measured" });
  watch.finish();
  await file.close(false);
  return (user + system) / records;
}

const micro = (ms: number): number => Math.round(ms * 1000) / 1000;
const slo = { ttftMs: 500, tpotMs: null, userLatencyMs: null };

function drawRecord(random: Random, index: number, arrivals: number): LoadRecord {
  const at = micro((1000 * index) / ratePerSecond + random.next());
  const issuedMs = micro(at + random.next());
  const sentMs = micro(at + 1.2);
  const first = micro(sentMs + 5 + 40 * random.next());
  let end = first;
  const groups = Array.from({ length: arrivals }, () => {
    const atMs = end;
    end = micro(end + 5 + 10 * random.next());
    return { atMs, events: 1, tokens: null };
  });
  const answeredMs = groups.at(-1)?.atMs ?? first;
  const whole = arrivals > 0;
  return {
    ...givenUpRecord({ endpoint: "chat", label: "chat", phase: "measure", step: 0, intendedMs: at, issuedMs, slo }, answeredMs),
    seq: index,
    sentMs,
    headersMs: micro(first - 0.4),
    firstByteMs: micro(first - 0.2),
    firstEventMs: whole ? first : null,
    firstTokenMs: whole ? first : null,
    firstTokenEarliestMs: whole ? micro(first - 0.05) : null,
    firstOutputMs: whole ? first : null,
    status: 200,
    outcome: "ok",
    good: true,
    promptTokens: 20 + (index % 7),
    outputTokens: whole ? arrivals : 20,
    arrivals,
    groups,
    ...deriveGaps({ groups, contentEvents: arrivals }),
    contentEvents: arrivals,
    stream: whole ? { done: true, finished: true, broken: false, continuousUsage: false } : null,
    reusedConnection: true,
    connection: random.integer(1, 64),
  };
}
