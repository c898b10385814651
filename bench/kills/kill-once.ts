import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { readChain } from "../../src/evidence/chain-reader.ts";
import { type ReferenceService, startReferenceService } from "../../src/reference/start-reference-service.ts";
import { readRun } from "../../src/run/record/read-run.ts";
import { unfinishedFile } from "../../src/run/record/unfinished-file.ts";
import { compileFlags } from "../../test/make/runner/engine-flags.ts";
import type { KilledStage } from "./killed-stages.ts";

/** When it is killed: so long after its start, or after the first exchange stands in its record. */
export interface Instant {
  readonly since: "start" | "record";
  readonly ms: number;
}

export interface KilledOnce {
  /** Null: it ended before. */
  readonly killedAtMs: number | null;
  readonly tookMs: number;
  /** When the first exchange stood in its record; null: nobody looked, or none did. */
  readonly recordAtMs: number | null;
  /** Whole records that were there afterwards. */
  readonly exchanges: number;
  readonly ledgerLines: number;
  /** Keys whose settings stood changed when it died. */
  readonly leftChanged: readonly string[];
  /** The promises that did not hold; empty if all did. */
  readonly broken: readonly string[];
}

interface Ended {
  readonly exitCode: number | null;
  readonly recordAtMs: number | null;
  readonly output: string;
}

const commandFile = new URL("../../dist/src/cli/bin.js", import.meta.url).pathname;
const declared = { burst_limit: 77, cooldown_seconds: 9, monthly_spend_cap: 4321 };
const changedKeys: readonly string[] = ["examSettings", "secondary", "spendA"];
/** The only remarks on its files that a run that did not end may cause. */
const expected = /^evidence\.ndjson: .*(?:was not closed|is cut)|^load\.ndjson: .*(?:was not closed|is cut)|^partial: /;

/** Kills a command with SIGKILL, unless it ends before, and looks at what is left: files, verdict, settings of the target. */
export async function killOnce(stage: KilledStage, instant: Instant, seed: number): Promise<KilledOnce> {
  const folder = mkdtempSync(join(tmpdir(), "assay-kill-"));
  const service = stage.target === "live" ? await startReferenceService() : null;
  try {
    const env = service === null ? {} : declareTarget(folder, service);
    const before = settingsOf(service);
    const startedAtMs = performance.now();
    const { exitCode, recordAtMs } = await runCommand([...stage.args, "--seed", String(seed)], { folder, env, instant });
    const tookMs = performance.now() - startedAtMs;
    const killedAtMs = exitCode === null ? tookMs : null;
    const now = settingsOf(service);
    const leftChanged = changedKeys.filter((key) => now[key] !== before[key]);
    const files = await lookAtFiles(folder, exitCode === null);
    const restored = service === null ? [] : await lookAtSettings(folder, env, { service, before });
    return { ...files, killedAtMs, tookMs, recordAtMs, leftChanged, broken: [...files.broken, ...restored] };
  } finally {
    await service?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function declareTarget(folder: string, { manifest }: ReferenceService): Readonly<Record<string, string>> {
  const names = ["primary", "admin", "spendAdmin", ...changedKeys];
  const variable = (name: string): string => `KEY_${name.toUpperCase()}`;
  const keys = names.map((name) => [name, { secret: `\${${variable(name)}}`, id: manifest.keys[name]?.id ?? null }]);
  const document = {
    target: { name: "live", baseUrl: manifest.target.baseUrl, plan: "pro" },
    keys: Object.fromEntries(keys),
    models: manifest.models,
    prices: manifest.prices,
    permissions: { patchSettings: true, exhaustLimits: true, spendUpToCents: 500 },
    propagationSeconds: 1,
    restore: { keys: Object.fromEntries(changedKeys.map((name) => [name, declared])) },
  };
  writeFileSync(join(folder, "assay.config.yaml"), stringify(document));
  return Object.fromEntries(names.map((name) => [variable(name), manifest.keys[name]?.secret ?? ""]));
}

function settingsOf(service: ReferenceService | null): Readonly<Record<string, string>> {
  return Object.fromEntries(changedKeys.map((key) => [key, JSON.stringify(service?.engine.keys.byName(key)?.settings)]));
}

async function lookAtFiles(
  folder: string,
  wasKilled: boolean,
): Promise<Pick<KilledOnce, "exchanges" | "ledgerLines" | "broken">> {
  const run = runFolder(folder);
  const none = { exchanges: 0, ledgerLines: 0 };
  if (run === null) return { ...none, broken: wasKilled ? [] : ["it ended without a run folder"] };
  const report = await runCommand(["report", run], { folder });
  const broken = report.exitCode === 4 || /^\s+at /m.test(report.output) ? [`report: ${report.exitCode} ${report.output}`] : [];
  const isFinished = existsSync(join(run, "run.json"));
  if (!isFinished && !existsSync(join(run, unfinishedFile))) {
    const left = readdirSync(run).filter((name) => !name.endsWith(".ndjson"));
    const lost = countWhole(join(run, "evidence.ndjson"));
    if (lost > 0) broken.push(`${lost} exchanges without a record that says what they are of`);
    if (report.exitCode !== 2 || left.length > 0) broken.push(`nothing was recorded, and report ended in ${report.exitCode}`);
    return { ...none, broken };
  }
  const { exchanges, problems } = await readRun(run);
  const whole = countWhole(join(run, "evidence.ndjson"));
  if (exchanges.length !== whole) broken.push(`${exchanges.length} of ${whole} exchanges are read`);
  const ledgerLines = await countLedger(join(run, "load.ndjson"), broken);
  if (!isFinished) {
    broken.push(...problems.filter((problem) => !expected.test(problem)));
    if (!report.output.includes("partial: the run was ended from outside")) broken.push("report does not say partial");
    if (report.exitCode !== 1 && report.exitCode !== 3) broken.push(`report of a part ended in ${report.exitCode}`);
    if (!existsSync(join(run, "result.json"))) broken.push("report wrote no result.json");
  } else if (report.exitCode === 0 && problems.length > 0) broken.push("green with problems");
  return { exchanges: exchanges.length, ledgerLines, broken };
}

/** The next run puts back what was changed, and leaves no note of it. */
async function lookAtSettings(
  folder: string,
  env: Readonly<Record<string, string>>,
  { service, before }: { readonly service: ReferenceService; readonly before: Readonly<Record<string, string>> },
): Promise<readonly string[]> {
  const next = await runCommand(["check", "--suite", "models"], { folder, env });
  const broken = next.exitCode === 0 ? [] : [`the next run ended in ${next.exitCode}: ${next.output.slice(-300)}`];
  const after = settingsOf(service);
  for (const key of changedKeys) {
    const settings = { ...service.engine.keys.byName(key)?.settings } as Readonly<Record<string, unknown>>;
    const isDeclared = Object.entries(declared).every(([name, value]) => settings[name] === value);
    const isInPart = Object.entries(settings).every(
      ([name, value]) =>
        value === (declared as Readonly<Record<string, unknown>>)[name] ||
        value === (JSON.parse(before[key] ?? "{}") as Readonly<Record<string, unknown>>)[name],
    );
    if (after[key] !== before[key] && !isDeclared && !isInPart) broken.push(`${key} is left with ${after[key]}`);
  }
  const left = readdirSync(join(folder, "reports")).filter((name) => name.startsWith(".pending-restore-"));
  return [...broken, ...left.map((name) => `${name} is left`)];
}

/** Records that stand in a log as whole lines. */
function countWhole(file: string): number {
  if (!existsSync(file)) return 0;
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.filter((line) => !("kind" in (JSON.parse(line) as object))).length;
}

async function countLedger(file: string, broken: string[]): Promise<number> {
  if (!existsSync(file)) return 0;
  const whole = readFileSync(file, "utf8").split("\n").length - 1;
  let read = 0;
  await readChain(file, (line) => {
    read += 1;
    if (line.broken) broken.push(`line ${line.line} of the ledger does not follow from the one before`);
  });
  if (read !== whole) broken.push(`${read} of ${whole} lines of the ledger are read`);
  return read;
}

function runFolder(folder: string): string | null {
  const reports = join(folder, "reports");
  const name = existsSync(reports) ? readdirSync(reports).find((one) => /^\d{4}-/.test(one)) : undefined;
  return name === undefined ? null : join(reports, name);
}

function runCommand(
  args: readonly string[],
  options: { readonly folder: string; readonly env?: Readonly<Record<string, string>>; readonly instant?: Instant },
): Promise<Ended> {
  const { folder, env = {}, instant } = options;
  const child = spawn(process.execPath, [...compileFlags, commandFile, ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, NO_COLOR: "1", LANG: "C.UTF-8", ...env },
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const startedAtMs = performance.now();
  let recordAtMs: number | null = null;
  const timers: NodeJS.Timeout[] = [];
  const killAfter = (ms: number): number => timers.push(setTimeout(() => child.kill("SIGKILL"), ms));
  if (instant?.since === "start") killAfter(instant.ms);
  if (instant?.since === "record") {
    const poll = setInterval(() => {
      const run = runFolder(folder);
      if (run === null || countWhole(join(run, "evidence.ndjson")) === 0) return;
      clearInterval(poll);
      recordAtMs = performance.now() - startedAtMs;
      killAfter(instant.ms);
    }, 10);
    timers.push(poll);
  }
  return new Promise((resolve) => {
    child.once("close", (exitCode) => {
      for (const timer of timers) clearTimeout(timer);
      resolve({ exitCode, recordAtMs, output });
    });
  });
}
