import { execFile } from "node:child_process";
import { loadavg } from "node:os";
import { performance } from "node:perf_hooks";
import { promisify } from "node:util";
import { benchChildren } from "./bench-children.ts";
import type { ClientFigures } from "./client-figures.ts";
import type { CostFigures } from "./costs.bench.ts";
import { median } from "./median.ts";

/**
 * The load engine beside other clients, each in its own process against the same server, one after the other in rounds, and
 * every goal beside what was reached. CPU time per item is the figure to trust on a machine that others use too; rates and
 * tails are reported as they were. wrk, h2load and hey take part when they are on the path.
 * Arguments: rounds (2), then the parts to run (`closed`, `streams`, `bursts`, `rate`, `many`, `pacing`, `costs`; all).
 */
const rounds = Number(process.argv[2] ?? 2);
const parts = process.argv.slice(3);
const runs = (part: string): boolean => parts.length === 0 || parts.includes(part);
const children = benchChildren();

async function runClient(tool: string, connections: number, seconds: number, url: string): Promise<ClientFigures> {
  return children.figuresOf("client", [tool, String(connections), String(seconds), url]);
}

interface Row {
  readonly tool: string;
  readonly perSecond: number;
  /** At a loop utilisation of 0.7, by the time in which the loop was busy. */
  readonly perSecondAt70: number;
  readonly cpuPerItem: number;
  readonly loop: number;
  readonly p50: number;
  readonly p99: number;
  readonly firstP50: number;
  readonly firstP99: number;
  readonly intervalP99: number;
  readonly kilobytes: number;
  readonly upper: number;
  readonly lower: number;
  readonly note: string;
}

/** Median of rounds; the clients take turns within a round. */
async function compare(
  tools: readonly string[],
  connections: number,
  seconds: number,
  parameters: readonly number[],
  times: number = rounds,
): Promise<readonly Row[]> {
  const figures = new Map<string, ClientFigures[]>(tools.map((tool) => [tool, []]));
  for (let round = 0; round < times; round += 1) {
    for (const tool of tools) {
      figures.get(tool)?.push(await children.withServer(parameters, (url) => runClient(tool, connections, seconds, url)));
    }
  }
  return tools.map((tool) => describe(tool, connections, figures.get(tool) ?? []));
}

function describe(tool: string, connections: number, runsOfTool: readonly ClientFigures[]): Row {
  const middle = (read: (figures: ClientFigures) => number | null): number =>
    median(runsOfTool.map((figures) => read(figures) ?? Number.NaN));
  return {
    tool,
    perSecond: middle(({ items, seconds }) => items / seconds),
    perSecondAt70: middle(({ items, activeMs }) => (0.7 * 1000 * items) / activeMs),
    cpuPerItem: middle(({ items, cpuMicroseconds }) => cpuMicroseconds / items),
    loop: middle(({ loopUtilization }) => loopUtilization),
    p50: middle(({ errorMs }) => errorMs.p50),
    p99: middle(({ errorMs }) => errorMs.p99),
    firstP50: middle(({ firstErrorMs }) => firstErrorMs.p50),
    firstP99: middle(({ firstErrorMs }) => firstErrorMs.p99),
    intervalP99: middle(({ intervalErrorMs }) => intervalErrorMs.p99),
    kilobytes: middle(({ residentBytes }) => residentBytes / 1000 / connections),
    upper: Math.min(...runsOfTool.map(({ boundsHeld }) => boundsHeld?.upper ?? Number.NaN)),
    lower: Math.min(...runsOfTool.map(({ boundsHeld }) => boundsHeld?.lower ?? Number.NaN)),
    note: [...new Set(runsOfTool.map(({ note }) => note))].filter(Boolean).join(", "),
  };
}

type Column = readonly [title: string, read: (row: Row) => number | string];
const rate: Column = ["per second", (row) => row.perSecond];
const cpu: Column = ["CPU us each", (row) => row.cpuPerItem];
const loop: Column = ["loop", (row) => row.loop];
const errors: readonly Column[] = [
  ["event error p50 ms", (row) => row.p50],
  ["p99", (row) => row.p99],
  ["first event p50", (row) => row.firstP50],
  ["p99", (row) => row.firstP99],
  ["by interval p99", (row) => row.intervalP99],
  ["not before it was sent", (row) => row.upper],
  ["within interval", (row) => row.lower],
];

function print(title: string, rows: readonly Row[], yardstick: string, columns: readonly Column[]): void {
  const base = rows.find(({ tool }) => tool === yardstick);
  console.log(`\n## ${title}\n`);
  console.log(`| client | ${columns.map(([name]) => name).join(" | ")} | CPU beside ${yardstick} |`);
  console.log(`|${"---|".repeat(columns.length + 2)}`);
  for (const row of rows) {
    const cells = columns.map(([, read]) => outcomes(read(row)));
    console.log(`| ${row.tool} | ${cells.join(" | ")} | ${outcomes(row.cpuPerItem / (base?.cpuPerItem ?? Number.NaN))} |`);
  }
}

function outcomes(value: number | string): string {
  if (typeof value === "string") return value;
  return Number.isNaN(value) ? "-" : value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(2) : value.toFixed(4);
}

/** Requests per second of a tool that is not ours, null where it is not installed. */
async function peer(command: string, flags: readonly string[], pattern: RegExp): Promise<number | null> {
  return children.withServer([], async (url) => {
    try {
      const { stdout } = await promisify(execFile)(command, [...flags, `${url}/v1/models`]);
      return Number(pattern.exec(stdout)?.[1]);
    } catch {
      return null;
    }
  });
}

const goals: string[] = [];

/** `least`: the figure must reach the bound; otherwise it must not exceed it. */
function goal(what: string, figure: number, bound: number, least = false): void {
  if (Number.isNaN(figure)) return;
  const met = least ? figure >= bound : figure <= bound;
  goals.push(`| ${what} | ${least ? "at least" : "at most"} ${bound} | ${outcomes(figure)} | ${met ? "met" : "**missed**"} |`);
}

function named(rows: readonly Row[], tool: string): Row {
  const row = rows.find((one) => one.tool === tool);
  if (row === undefined) throw new RangeError(`no row of ${tool}`);
  return row;
}

async function closedLoop(): Promise<void> {
  const tools = ["closed autocannon", "closed assay", "closed assay, not judged", "closed dispatch", "closed fetch"];
  const rows = await compare(tools, 64, 3, []);
  print("Closed loop: 64 connections, a list of models of 440 bytes, 3 s", rows, "closed autocannon", [rate, cpu, loop]);
  const ours = named(rows, "closed assay").perSecond;
  goal(
    "closed loop, every answer judged, beside autocannon's rate",
    ours / named(rows, "closed autocannon").perSecond,
    0.8,
    true,
  );
  console.log("\n| in C or Go, same server | requests/s | assay beside it |\n|---|---|---|");
  const peers = [
    ["wrk", ["-t1", "-c64", "-d3"], /Requests\/sec:\s+([\d.]+)/],
    ["h2load", ["--h1", "-c64", "-t1", "-D3"], /([\d.]+) req\/s/],
    ["hey", ["-c", "64", "-z", "3s", "-cpus", "1"], /Requests\/sec:\s+([\d.]+)/],
  ] as const;
  for (const [tool, flags, pattern] of peers) {
    const reached = await peer(tool, flags, pattern);
    console.log(`| ${tool} | ${reached === null ? "not installed | -" : `${outcomes(reached)} | ${outcomes(ours / reached)}`} |`);
    if (tool === "wrk" && reached !== null) goal("closed loop beside wrk's rate", ours / reached, 0.45, true);
  }
}

const streamTools = ["stream dispatch", "stream assay", "stream fetch"];

async function spreadStreams(): Promise<void> {
  const rows = await compare(streamTools, 1000, 4, [50, 60, 0]);
  print("1,000 streams, an event each 50 ms, evenly spread", rows, "stream dispatch", [
    cpu,
    loop,
    ...errors,
    ["note", (row) => row.note],
  ]);
  const [ours, fetched] = [named(rows, "stream assay"), named(rows, "stream fetch")];
  goal("1,000 streams x 20/s: event error p50, ms", ours.p50, 0.06);
  goal("1,000 streams x 20/s: event error p99, ms", ours.p99, 0.25);
  goal("1,000 streams x 20/s: time to first event, error p50, ms", ours.firstP50, 0.15);
  goal("1,000 streams x 20/s: time to first event, error p99, ms", ours.firstP99, 0.8);
  goal("share of events stamped not before they were sent", ours.upper, 1, true);
  goal("share of events within their interval", ours.lower, 0.995, true);
  goal("event error p99 of fetch beside ours", fetched.p99 / ours.p99, 10, true);
  goal(
    "CPU per event beside bare dispatch, parser and JSON.parse",
    ours.cpuPerItem / named(rows, "stream dispatch").cpuPerItem,
    1.5,
  );
}

async function alignedStreams(): Promise<void> {
  const rows = await compare(streamTools, 1000, 4, [50, 60, 1]);
  print("1,000 streams, all events at one instant each 50 ms", rows, "stream dispatch", [
    cpu,
    loop,
    ...errors,
    ["note", (row) => row.note],
  ]);
  goal("1,000-stream bursts: event error p99 by interval, ms", named(rows, "stream assay").intervalP99, 2);
}

async function eventRate(): Promise<void> {
  const rows = await compare(streamTools.slice(0, 2), 400, 4, [10, 300, 0]);
  const at70: Column = ["per second at loop 0.7", (row) => row.perSecondAt70];
  print("400 streams, an event each 10 ms", rows, "stream dispatch", [rate, at70, cpu, loop, ["note", (row) => row.note]]);
  const ours = named(rows, "stream assay");
  goal("validated events per second and core at a loop utilisation of 0.7", ours.perSecondAt70, 75_000, true);
  goal("CPU per event at a high rate beside bare dispatch", ours.cpuPerItem / named(rows, "stream dispatch").cpuPerItem, 1.5);
}

async function manyStreams(): Promise<void> {
  const rows = await compare(streamTools.slice(0, 2), 10_000, 8, [500, 14, 0], 1);
  const memory: Column = ["memory each, kB", (row) => row.kilobytes];
  print("10,000 streams, an event each 500 ms, one run", rows, "stream dispatch", [
    memory,
    cpu,
    loop,
    ...errors,
    ["note", (row) => row.note],
  ]);
  const ours = named(rows, "stream assay");
  goal("10,000 streams: memory of each, kB", ours.kilobytes, 25);
  goal("10,000 streams x 2/s: event error p99, ms", ours.p99, 0.4);
}

async function pacing(): Promise<void> {
  const rows = await compare(["pacing timers", "pacing assay"], 1000, 3, []);
  print("Pacing: 1,000 sends per second, how late in ms", rows, "pacing timers", [
    ["p50", (row) => row.p50],
    ["p99", (row) => row.p99],
    ["share of a core", (row) => (row.cpuPerItem * row.perSecond) / 1e6],
    ["note", (row) => row.note],
  ]);
  const ours = named(rows, "pacing assay");
  goal("pacing at 1,000/s: lateness p99, ms", ours.p99, 0.25);
  goal("pacing at 1,000/s: share of a core", (ours.cpuPerItem * ours.perSecond) / 1e6, 0.2);
}

/** Measures the work after an answer, without a network, in a process of its own. */
async function costs(): Promise<void> {
  const reported = await children.figuresOf<CostFigures>("costs.bench");
  console.log("\n## After the answer\n\n| per response | CPU us | beside JSON.parse of its body |\n|---|---|---|");
  for (const { what, microseconds } of reported.rows) {
    console.log(`| ${what} | ${microseconds.toFixed(2)} | ${(microseconds / reported.parseMicroseconds).toFixed(1)} |`);
  }
  const { seconds, megabytes, records } = reported.report;
  console.log(
    `\n${records} records become a result, result.json and report.html in ${seconds.toFixed(2)} s of CPU, ${megabytes.toFixed(0)} MB resident.`,
  );
  goal("all judges on an answer, CPU us", reported.answerMicroseconds, 8);
  goal("all judges on a stream, CPU us per event above its JSON.parse", reported.eventMicroseconds, 1);
  goal("report of 1,000,000 exchanges, s", seconds, 10);
}

const startedMs = performance.now();
if (runs("closed")) await closedLoop();
if (runs("streams")) await spreadStreams();
if (runs("bursts")) await alignedStreams();
if (runs("rate")) await eventRate();
if (runs("many")) await manyStreams();
if (runs("pacing")) await pacing();
if (runs("costs")) await costs();
console.log(`\n## Goals\n\n| goal | bound | reached | |\n|---|---|---|---|\n${goals.join("\n")}`);
console.log(
  `\n${rounds} rounds in ${((performance.now() - startedMs) / 1000).toFixed(0)} s; Node ${process.version}, load average ${loadavg()
    .map((one) => one.toFixed(1))
    .join(", ")}.`,
);
