import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileBench } from "./compile-bench.ts";
import { startTruthServer } from "./start-truth-server.ts";
import type { Truth } from "./truth-server.ts";

/**
 * Whole commands against a server that knows the truth, in turn, round after round: what the command reports less what the server did,
 * what it finished, the CPU time of the command with all its threads, and whether it calls its own run valid. autocannon takes part
 * in closed loops of plain answers; k6 in all where it is on the path.
 * Arguments: rounds (3), seconds of each run (20), then folders of other builds of assay to compare with.
 */
const rounds = Number(process.argv[2] ?? 3);
const seconds = Number(process.argv[3] ?? 20);
const own = fileURLToPath(new URL("../..", import.meta.url));
const builds = [own, ...process.argv.slice(4)];
const work = mkdtempSync(join(tmpdir(), "assay-truth-"));
const compiled = compileBench();
process.once("exit", () => {
  compiled.remove();
  rmSync(work, { recursive: true, force: true });
});

interface Scene {
  readonly name: string;
  readonly concurrency: number;
  readonly kind: "streams" | "get" | "post";
}

interface Figures {
  readonly finished: number;
  /** Finished a second: a run that measures seconds again lasts longer. */
  readonly perSecond: number;
  readonly cpuMs: number;
  readonly valid: string;
  /** Milliseconds: p50 and p99 of the command less those of the server. */
  readonly errors: Readonly<Record<string, number>>;
}

const scenes: readonly Scene[] = [
  { name: "64 streams", concurrency: 64, kind: "streams" },
  { name: "500 streams", concurrency: 500, kind: "streams" },
  { name: "GET, 64 connections", concurrency: 64, kind: "get" },
  { name: "POST, 64 connections", concurrency: 64, kind: "post" },
];

/** CPU seconds of a process with all its threads, read while it lives: Linux keeps them nowhere afterwards. */
async function runMeasured(
  command: string,
  parts: readonly string[],
  cwd: string,
): Promise<{ readonly output: string; readonly cpuMs: number }> {
  const env: NodeJS.ProcessEnv = { ...process.env, ASSAY_API_KEY: "sk-bench-q7w1z8x2c9v3" };
  delete env["CI"];
  const child = spawn(command, parts, { cwd, env, stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  let cpuMs = 0;
  child.stdout.on("data", (data: Buffer) => (output += data.toString()));
  const timer = setInterval(() => (cpuMs = readCpuMs(child.pid ?? 0) ?? cpuMs), 50);
  await once(child, "close");
  clearInterval(timer);
  return { output, cpuMs };
}

function readCpuMs(pid: number): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return 10 * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return null;
  }
}

function percentile(values: readonly number[], percent: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor((values.length * percent) / 100))] ?? Number.NaN;
}

function writeProfile(folder: string, url: string, { concurrency, kind }: Scene): void {
  const item = {
    streams: "{ endpoint: chat, stream: true, promptTokens: 32, outputTokens: 50 }",
    get: "{ endpoint: models }",
    post: "{ endpoint: chat, stream: false, promptTokens: 32, outputTokens: 50 }",
  }[kind];
  writeFileSync(
    join(folder, "assay.config.yaml"),
    `target: { baseUrl: "${url}", plan: null, timeoutMs: 60000 }\nkeys: { primary: "\${ASSAY_API_KEY}" }\nmodels: { chat: bench-model }\nbudget: { maxRequests: 5000000, maxTokens: 5000000000, maxCostUsd: 50000 }\n`,
  );
  writeFileSync(
    join(folder, "bench.yaml"),
    `id: bench\ntitle: bench\narrivals: { kind: closed, concurrency: ${concurrency} }\ndurationSeconds: ${seconds}\ntimeoutSeconds: 30\nworkload: [${item}]\nretry: { max: 0, retryAfter: ignore }\ngates: [error_rate < 1%]\n`,
  );
}

interface Measured {
  readonly counts: { readonly completed: number };
  readonly rates: { readonly achieved: number };
  readonly validity: { readonly valid: boolean };
  readonly distributions: readonly {
    readonly metric: string;
    readonly outcome: string;
    readonly phase: string;
    readonly percentiles: readonly { readonly percentile: number; readonly value: number }[];
  }[];
}

async function runAssay(build: string, url: string, scene: Scene, truthOf: () => Promise<Truth>): Promise<Figures> {
  const folder = mkdtempSync(join(work, "run-"));
  writeProfile(folder, url, scene);
  const parts = ["load", "--config", "assay.config.yaml", "--profile", "bench.yaml", "--out", "out"];
  const { cpuMs } = await runMeasured(process.execPath, [join(build, "dist/src/cli/bin.js"), ...parts], folder);
  const truth = await truthOf();
  const run = readdirSync(join(folder, "out")).find((name) => existsSync(join(folder, "out", name, "result.json"))) ?? "";
  const result: { readonly load: { readonly profiles: readonly Measured[] } } = JSON.parse(
    readFileSync(join(folder, "out", run, "result.json"), "utf8"),
  );
  const [profile] = result.load.profiles;
  if (profile === undefined) throw new Error("the run has no profile");
  const errors: Record<string, number> = {};
  for (const [metric, values] of [
    ["ttft", truth.ttft],
    ["tpot", truth.tpot],
    ["service-latency", truth.answer],
  ] as const) {
    if (scene.kind !== "streams") continue;
    const found = profile.distributions.find((each) => each.metric === metric && each.outcome === "ok" && each.phase === "whole");
    for (const percent of [50, 99]) {
      const shown = found?.percentiles.find((one) => one.percentile === percent)?.value ?? Number.NaN;
      errors[`${metric} p${percent}`] = shown - percentile(values, percent);
    }
  }
  const { completed } = profile.counts;
  return {
    finished: completed,
    perSecond: profile.rates.achieved,
    cpuMs,
    valid: profile.validity.valid ? "valid" : "INVALID",
    errors,
  };
}

async function runAutocannon(url: string, { concurrency, kind }: Scene): Promise<Figures> {
  const body = JSON.stringify({
    model: "bench-model",
    messages: [{ role: "user", content: "word ".repeat(32) }],
    max_tokens: 50,
  });
  const request =
    kind === "get"
      ? [`${url}/v1/models`]
      : ["-m", "POST", "-H", "content-type=application/json", "-b", body, `${url}/v1/chat/completions`];
  const bin = join(own, "node_modules/autocannon/autocannon.js");
  const parts = [bin, "-j", "-c", String(concurrency), "-d", String(seconds), ...request];
  const { output, cpuMs } = await runMeasured(process.execPath, parts, work);
  const { requests }: { readonly requests: { readonly total: number } } = JSON.parse(output);
  return { finished: requests.total, perSecond: requests.total / seconds, cpuMs, valid: "", errors: {} };
}

async function runK6(url: string, { concurrency, kind }: Scene): Promise<Figures> {
  const folder = mkdtempSync(join(work, "k6-"));
  const body = JSON.stringify({
    model: "bench-model",
    messages: [{ role: "user", content: "word ".repeat(32) }],
    max_tokens: 50,
    ...(kind === "streams" && { stream: true }),
  });
  const call =
    kind === "get"
      ? `http.get("${url}/v1/models")`
      : `http.post("${url}/v1/chat/completions", ${JSON.stringify(body)}, { headers: { "content-type": "application/json" } })`;
  writeFileSync(
    join(folder, "bench.js"),
    `import http from "k6/http";\nexport const options = { vus: ${concurrency}, duration: "${seconds}s", gracefulStop: "60s" };\nexport default () => { ${call}; };\n`,
  );
  const { cpuMs } = await runMeasured("k6", ["run", "--quiet", "--summary-export", "summary.json", "bench.js"], folder);
  const summary: { readonly metrics: { readonly iterations: { readonly count: number } } } = JSON.parse(
    readFileSync(join(folder, "summary.json"), "utf8"),
  );
  const { count } = summary.metrics.iterations;
  return { finished: count, perSecond: count / seconds, cpuMs, valid: "", errors: {} };
}

function isInstalled(command: string): boolean {
  try {
    execFileSync(command, ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

async function runScene(scene: Scene): Promise<void> {
  const server = await startTruthServer([50, 20, 100], work, compiled.folder);
  const { url, truth } = server;
  const tools = new Map<string, () => Promise<Figures>>(
    builds.map((build) => [build === own ? "assay" : build, () => runAssay(build, url, scene, truth)]),
  );
  if (scene.kind !== "streams") tools.set("autocannon", () => runAutocannon(url, scene));
  if (isInstalled("k6")) tools.set("k6", () => runK6(url, scene));
  const all = new Map<string, Figures[]>();
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? [...tools] : [...tools].toReversed();
    for (const [tool, run] of order) {
      await truth();
      all.set(tool, [...(all.get(tool) ?? []), await run()]);
    }
  }
  server.stop();
  console.log(
    `\n${scene.name}, ${seconds} s, median of ${rounds} [least, most]; server in ${server.language}, load average ${loadavg()[0]?.toFixed(1)}`,
  );
  for (const [tool, figures] of all) console.log(`  ${tool.padEnd(24)} ${describeFigures(figures)}`);
}

function describeFigures(figures: readonly Figures[]): string {
  const show = (values: readonly number[], digits: number): string => {
    const sorted = values.toSorted((a, b) => a - b);
    return `${percentile(sorted, 50).toFixed(digits)} [${sorted[0]?.toFixed(digits)}, ${sorted.at(-1)?.toFixed(digits)}]`;
  };
  const names = Object.keys(figures[0]?.errors ?? {});
  return [
    `finished a second ${show(
      figures.map(({ perSecond }) => perSecond),
      1,
    )}`,
    `CPU ms a request ${show(
      figures.map(({ cpuMs, finished }) => cpuMs / finished),
      3,
    )}`,
    ...names.map(
      (name) =>
        `${name} ${show(
          figures.map(({ errors }) => errors[name] ?? Number.NaN),
          1,
        )}`,
    ),
    figures.map(({ valid }) => valid).join(" "),
  ].join("; ");
}

mkdirSync(work, { recursive: true });
console.log(
  `${availableParallelism()} processors, Node ${process.versions.node}; errors are the command's figure less the server's, ms`,
);
for (const scene of scenes) await runScene(scene);
