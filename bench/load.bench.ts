import { execFile, fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { compileBench } from "./compile-bench.ts";
import type { ClientFigures } from "./load-client.ts";

/**
 * The load engine beside other clients, each in its own process against the same server, one after the other in rounds. CPU
 * time per item is the figure to trust on a machine that others use too; rates and tails are told as they were.
 * wrk and h2load take part when they are on the path. Arguments: rounds (3), then `closed` for the closed loop alone.
 */
const rounds = Number(process.argv[2] ?? 3);
const closedOnly = process.argv[3] === "closed";
const compiled = compileBench();
process.once("exit", () => compiled.remove());
const file = (name: string): URL => new URL(`${name}.js`, compiled.folder);
/** Without the flags of this process: a loader among them would touch the code that is measured. */
const plain = { execArgv: [] };

async function withServer<T>(parameters: readonly number[], use: (url: string) => Promise<T>): Promise<T> {
  const server = fork(file("load-server"), parameters.map(String), plain);
  try {
    const [port] = (await once(server, "message")) as [number];
    return await use(`http://127.0.0.1:${port}`);
  } finally {
    server.kill();
  }
}

/** A child that ends without figures is told, not waited for. */
async function failed(client: ChildProcess, tool: string): Promise<never> {
  const [code] = (await once(client, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${tool} ended with exit code ${code ?? "none"}`);
  return new Promise(() => {});
}

async function runClient(tool: string, connections: number, seconds: number, url: string): Promise<ClientFigures> {
  const client: ChildProcess = fork(file("load-client"), [tool, String(connections), String(seconds), url], plain);
  const [figures] = (await Promise.race([once(client, "message"), failed(client, tool)])) as [ClientFigures];
  await once(client, "exit");
  return figures;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

interface Row {
  readonly tool: string;
  readonly perSecond: number;
  readonly cpuPerItem: number;
  readonly loop: number;
  readonly p50: number;
  readonly p99: number;
  readonly bytes: number;
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
): Promise<readonly Row[]> {
  const runs = new Map<string, ClientFigures[]>(tools.map((tool) => [tool, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const tool of tools) {
      runs.get(tool)?.push(await withServer(parameters, (url) => runClient(tool, connections, seconds, url)));
    }
  }
  return tools.map((tool) => {
    const figures = runs.get(tool) ?? [];
    return {
      tool,
      perSecond: median(figures.map(({ items, seconds: length }) => items / length)),
      cpuPerItem: median(figures.map(({ items, cpuMicroseconds }) => cpuMicroseconds / items)),
      loop: median(figures.map(({ loopUtilization }) => loopUtilization)),
      p50: median(figures.map(({ errorMs }) => errorMs.p50 ?? Number.NaN)),
      p99: median(figures.map(({ errorMs }) => errorMs.p99 ?? Number.NaN)),
      bytes: median(figures.map(({ residentBytes }) => residentBytes / connections)),
      upper: Math.min(...figures.map(({ boundsHeld }) => boundsHeld?.upper ?? Number.NaN)),
      lower: Math.min(...figures.map(({ boundsHeld }) => boundsHeld?.lower ?? Number.NaN)),
      note: [...new Set(figures.map(({ note }) => note))].filter(Boolean).join(", "),
    };
  });
}

function print(title: string, rows: readonly Row[], yardstick: string, columns: readonly (keyof Row)[]): void {
  const base = rows.find(({ tool }) => tool === yardstick);
  console.log(`\n## ${title}`);
  console.log(`| client | ${columns.join(" | ")} | CPU / ${yardstick} |`);
  console.log(`|${"---|".repeat(columns.length + 2)}`);
  for (const row of rows) {
    const cells = columns.map((column) => (typeof row[column] === "number" ? round(row[column]) : row[column]));
    console.log(`| ${row.tool} | ${cells.join(" | ")} | ${round(row.cpuPerItem / (base?.cpuPerItem ?? Number.NaN))} |`);
  }
}

function round(value: number): string {
  return Number.isNaN(value) ? "-" : value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(2) : value.toFixed(4);
}

/** Requests per second of a tool that is not ours, null where it is not installed. */
async function peer(command: string, flags: readonly string[], pattern: RegExp): Promise<number | null> {
  return withServer([], async (url) => {
    try {
      const { stdout } = await promisify(execFile)(command, [...flags, `${url}/v1/models`]);
      return Number(pattern.exec(stdout)?.[1]);
    } catch {
      return null;
    }
  });
}

const closed = await compare(["closed autocannon", "closed assay", "closed dispatch", "closed fetch"], 64, 3, []);
print("Closed loop, 64 connections, 400-byte JSON", closed, "closed autocannon", ["perSecond", "cpuPerItem", "loop"]);
const wrk = await peer("wrk", ["-t1", "-c64", "-d3"], /Requests\/sec:\s+([\d.]+)/);
const h2load = await peer("h2load", ["--h1", "-c64", "-t1", "-D3"], /([\d.]+) req\/s/);
const ours = closed.find(({ tool }) => tool === "closed assay")?.perSecond ?? Number.NaN;
for (const [tool, rate] of [
  ["wrk", wrk],
  ["h2load", h2load],
] as const) {
  console.log(rate === null ? `${tool}: not installed` : `${tool}: ${rate} requests/s; assay ${(ours / rate).toFixed(2)} of it`);
}
if (closedOnly) process.exit();
const stream: readonly (keyof Row)[] = ["perSecond", "cpuPerItem", "loop", "p50", "p99", "upper", "lower", "bytes", "note"];
print(
  "500 streams, an event each 50 ms, spread",
  await compare(["stream dispatch", "stream assay", "stream fetch"], 500, 4, [50, 60, 0]),
  "stream dispatch",
  stream,
);
print(
  "500 streams, all events at the same instant each 50 ms",
  await compare(["stream dispatch", "stream assay", "stream fetch"], 500, 4, [50, 60, 1]),
  "stream dispatch",
  stream,
);
print(
  "5,000 streams, an event each 500 ms",
  await compare(["stream dispatch", "stream assay"], 5000, 8, [500, 14, 0]),
  "stream dispatch",
  stream,
);
print(
  "Pacing, 1,000 sends per second, lateness in ms",
  await compare(["pacing timers", "pacing assay"], 1000, 3, []),
  "pacing timers",
  ["p50", "p99", "loop", "note"],
);
