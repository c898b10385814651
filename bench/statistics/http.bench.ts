import { spawn } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ErrorSpread, InstrumentAccuracy } from "../../src/core/result/generator-health.ts";
import { collectFigures } from "../../src/load/statistics/collect-figures.ts";
import { estimatePercentile } from "../../src/load/statistics/percentile-estimate.ts";
import { sampleSetOf } from "../../src/load/statistics/sample-set.ts";
import { readProfile } from "../../src/load/plan/read-profile.ts";
import { runLoadProfile } from "../../src/load/run-load-profile.ts";
import { measureInstrument } from "../../src/run/stages/measure-instrument.ts";
import { createRealClock } from "../../src/wire/clock/real-clock.ts";
import { createWire } from "../../src/wire/client/wire.ts";
import { manifestFor } from "../../test/make/load/load-target.ts";
import { queues, queueServers } from "./queues.ts";

/**
 * The same intervals over HTTP: assay's own load asks queues of known law (`queue-server.ts`) over sockets of 127.0.0.1, many at once,
 * since nearly all of their time is waiting.
 *
 *     tsx bench/statistics/http.bench.ts send FILE LOAD VALUES TARGETS MINUTES    appends a line a run
 *     tsx bench/statistics/http.bench.ts judge FILE                               prints the tables of docs/measurements/statistics.md
 */
const serviceMs = 200;
const warmUpSeconds = 4;
const percentiles = [50, 95] as const;

interface Run {
  readonly load: number;
  readonly asked: number;
  /** User latencies as assay measured them, and what the server says of the same requests, in the order of arrivals. */
  readonly valuesMs: readonly number[];
  readonly sojournsMs: readonly number[];
  readonly valid: boolean;
  /** Verdicts of gates 5 % below and above the truth, as the run judged them. */
  readonly gates: readonly string[];
  /** Error of events that the calibration before it states. */
  readonly statedMs: Pick<ErrorSpread, "p50" | "p95" | "p99" | "max"> | null;
  readonly machineLoad: number;
}

const [command = "", file = "", ...numbers] = process.argv.slice(2);
if (command === "send") await sendAll(numbers.map(Number));
else judgeAll(readFileSync(file, "utf8").trim().split("\n"));

function truthMs(load: number, percentile: number): number {
  return serviceMs * (queues.find(({ name }) => name === "M/M/8")?.truth(load, percentile / 100) ?? Number.NaN);
}

async function sendAll([load = 0.5, asked = 900, targets = 12, minutes = 10]: readonly number[]): Promise<void> {
  const until = performance.now() + 60_000 * minutes;
  const server = spawn(
    process.execPath,
    ["--import", "tsx", fileURLToPath(new URL("queue-server.ts", import.meta.url)), String(serviceMs)],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const { value: port } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next();
  const perSecond = (queueServers * load * 1000) / serviceMs;
  const durationSeconds = Math.round(asked / perSecond);
  let number = Math.floor(Date.now() / 1000) % 1_000_000;
  while (performance.now() + 1000 * (durationSeconds + warmUpSeconds) < until) {
    const accuracy = await measureInstrument({ seed: number, signal: new AbortController().signal });
    const runs = await Promise.all(
      Array.from({ length: targets }, () => sendOne(`http://127.0.0.1:${port}/${(number += 1)}`, number, accuracy)),
    );
    for (const run of runs) appendFileSync(file, `${JSON.stringify(run)}\n`);
  }
  server.stdin.end();

  async function sendOne(url: string, seed: number, accuracy: InstrumentAccuracy): Promise<Run> {
    const clock = createRealClock();
    const manifest = manifestFor(url);
    const wire = createWire({ manifest, clock, digests: false });
    const gates = percentiles.flatMap((percentile) => [
      `user_latency.p${percentile} < ${(0.95 * truthMs(load, percentile)).toFixed(2)}ms`,
      `user_latency.p${percentile} < ${(1.05 * truthMs(load, percentile)).toFixed(2)}ms`,
    ]);
    const arrivals = { kind: "poisson", ratePerSecond: perSecond };
    const members = { id: "queue", title: "Queue", arrivals, durationSeconds, warmUpSeconds, workload: [{ endpoint: "models" }] };
    const profile = readProfile(JSON.stringify({ ...members, timeoutSeconds: 60, gates }), "queue");
    const seen: { readonly intendedMs: number; readonly valueMs: number; readonly sojournMs: number }[] = [];
    const result = await runLoadProfile({
      profile,
      manifest,
      sender: wire,
      clock,
      seed,
      ...accuracy,
      onExchange({ timing: { intendedMs, sentMs, endMs }, response }) {
        const at = intendedMs ?? sentMs;
        const sojournMs = Number(response?.headers.find(([name]) => name.toLowerCase() === "x-sojourn-ms")?.[1]);
        seen.push({ intendedMs: at, valueMs: endMs - at, sojournMs });
      },
    });
    await wire.close();
    const startMs = result.startedMs + result.warmUpMs;
    const measured = seen.filter(({ intendedMs }) => intendedMs >= startMs).toSorted((a, b) => a.intendedMs - b.intendedMs);
    const round = (figure: (one: (typeof measured)[number]) => number): number[] =>
      Array.from(collectFigures(measured, figure), (value) => Math.round(100 * value) / 100);
    return {
      load,
      asked,
      valuesMs: round(({ valueMs }) => valueMs),
      sojournsMs: round(({ sojournMs }) => sojournMs),
      valid: result.validity.valid,
      gates: result.gates.map(({ verdict }) => verdict),
      statedMs: accuracy.calibration?.eventErrorMs ?? null,
      machineLoad: loadavg()[0] ?? 0,
    };
  }
}

function judgeAll(lines: readonly string[]): void {
  const all = lines.map((line): Run => JSON.parse(line) as Run);
  for (const { load, asked } of all.filter(
    (run, at) => all.findIndex((one) => one.load === run.load && one.asked === run.asked) === at,
  )) {
    const runs = all.filter((run) => run.load === load && run.asked === asked);
    const machine = runs.map(({ machineLoad }) => machineLoad).toSorted((a, b) => a - b);
    console.log(
      `\nM/M/8, ${load}, ${asked} values, services of ${serviceMs} ms: ${runs.length} runs, ${runs.filter(({ valid }) => valid).length} valid; load of the machine ${machine[0]?.toFixed(0)} to ${machine.at(-1)?.toFixed(0)}`,
    );
    for (const percentile of percentiles) console.log(judgePercentile(runs, load, percentile));
    console.log(`verdicts of the runs on 0.95 and 1.05 of p50, p95: ${countVerdicts(runs)}`);
    const added = runs.flatMap(({ valuesMs, sojournsMs }) => valuesMs.map((value, at) => value - (sojournsMs[at] ?? Number.NaN)));
    const stated = runs.flatMap(({ statedMs }) => (statedMs === null ? [] : [statedMs]));
    console.log(
      `added by the machine: ${spreadOf(added)}; the calibrations state (median, largest) p50 ${spreadOfTwo(stated.map(({ p50 }) => p50))}, p95 ${spreadOfTwo(stated.map(({ p95 }) => p95))}, p99 ${spreadOfTwo(stated.map(({ p99 }) => p99))}`,
    );
  }
}

function judgePercentile(runs: readonly Run[], load: number, percentile: (typeof percentiles)[number]): string {
  const truth = truthMs(load, percentile);
  let [stated, covers, withError, passed, failed] = [0, 0, 0, 0, 0];
  for (const { valuesMs, statedMs } of runs) {
    const { low, high, bounds } = estimatePercentile(sampleSetOf(valuesMs), percentile);
    const error = (percentile === 50 ? statedMs?.p50 : statedMs?.p95) ?? 0;
    if (bounds.most + error < 0.95 * truth) passed += 1;
    if (bounds.least - error > 1.05 * truth) failed += 1;
    if (low === null || high === null) continue;
    stated += 1;
    if (low <= truth && truth <= high) covers += 1;
    if (low - error <= truth && truth <= high + error) withError += 1;
  }
  const share = (part: number, whole: number): string => `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`;
  return `p${percentile} ${truth.toFixed(1)} ms: stated ${share(stated, runs.length)}, covers ${share(covers, stated)}, with the stated error ${share(withError, stated)}; false of all ${share(stated - covers, runs.length)}; 5 % beside passed wrongly ${share(passed, runs.length)}, failed wrongly ${share(failed, runs.length)}`;
}

function countVerdicts(runs: readonly Run[]): string {
  return [0, 1, 2, 3]
    .map((gate) =>
      ["pass", "fail", "inconclusive"].map((verdict) => runs.filter(({ gates }) => gates[gate] === verdict).length).join("/"),
    )
    .join(", ");
}

function spreadOf(values: readonly number[]): string {
  // Requests without an answer have none.
  const sorted = values.filter((value) => Number.isFinite(value)).toSorted((a, b) => a - b);
  const at = (part: number): string => `${sorted[Math.floor(part * (sorted.length - 1))]?.toFixed(1)} ms`;
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}`;
}

function spreadOfTwo(values: readonly (number | null | undefined)[]): string {
  const known = values.filter((value) => value !== null && value !== undefined).toSorted((a, b) => a - b);
  return `${known[known.length >> 1]?.toFixed(1)}, ${known.at(-1)?.toFixed(1)} ms`;
}
