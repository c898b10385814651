import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parse } from "yaml";

const root = resolve(import.meta.dirname, "../..");

interface Step {
  readonly name: string;
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly run?: string;
}

export interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

export const action: Action = parse(readFileSync(join(root, "action.yml"), "utf8")) as Action;

export interface ActionEnded {
  /** Of the first step that failed, else 0: what the runner ends the job with. */
  readonly exitCode: number;
  readonly log: string;
  readonly summary: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** Steps that use another action, with their resolved inputs; only those whose condition held. */
  readonly used: readonly { readonly uses: string; readonly with: Readonly<Record<string, string>> }[];
  readonly workspace: string;
}

export interface ActionJob {
  readonly with: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Prepares the checkout of the job. */
  readonly prepare?: (workspace: string) => void;
}

/** The folder in which an earlier job installed a package: npm takes longer than all other steps. */
const installed = new Map<string, string>();

/** Carries out the steps of action.yml as the runner does: expressions, conditions, files for outputs and summary, bash with `-eo pipefail`. */
export async function runAction(job: ActionJob): Promise<ActionEnded> {
  const home = mkdtempSync(join(tmpdir(), "assay-runner-"));
  const [workspace, temp] = [join(home, "work"), join(home, "temp")];
  for (const folder of [workspace, temp]) mkdirSync(folder);
  job.prepare?.(workspace);
  const summaryFile = join(temp, "summary.md");
  writeFileSync(summaryFile, "");
  const unknown = Object.keys(job.with).find((name) => action.inputs[name] === undefined);
  if (unknown !== undefined) throw new Error(`the action has no input ${unknown}`);
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, input]) => [name, job.with[name] ?? input.default ?? ""]),
  );
  const stepOutputs: Record<string, Record<string, string>> = {};
  const lookUp = (path: string): string => {
    const [scope, name = "", , output = ""] = path.split(".");
    if (scope === "inputs") return inputs[name] ?? "";
    if (scope === "runner") return name === "temp" ? temp : "Linux";
    if (scope === "github") return root;
    if (scope === "steps") return stepOutputs[name]?.[output] ?? "";
    throw new Error(`no context ${path}`);
  };
  const evaluate = (text: string): string =>
    text.replaceAll(/\$\{\{\s*(.*?)\s*\}\}/g, (_whole, expression: string) =>
      /^[\w.-]+$/.test(expression) ? lookUp(expression) : `<${expression}>`,
    );
  let [exitCode, log] = [0, ""];
  const used: { uses: string; with: Record<string, string> }[] = [];
  for (const step of action.runs.steps) {
    if (!isDue(step.if, exitCode !== 0, lookUp)) continue;
    if (step.uses !== undefined) {
      const given = Object.entries(step.with ?? {}).map(([name, value]) => [name, evaluate(value)] as const);
      used.push({ uses: step.uses, with: Object.fromEntries(given) });
      continue;
    }
    const outputFile = join(temp, `output-${step.name}`);
    writeFileSync(outputFile, "");
    const script = join(temp, "step.sh");
    writeFileSync(script, evaluate(step.run ?? ""));
    const stepEnv = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, evaluate(value)]));
    const runnerEnv = {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      GITHUB_OUTPUT: outputFile,
      GITHUB_STEP_SUMMARY: summaryFile,
      GITHUB_ACTIONS: "true",
    };
    const env = { ...runnerEnv, ...job.env, ...stepEnv };
    const { ASSAY_HOME: installedAt = "", ASSAY_PACKAGE: wanted } = stepEnv;
    const known = wanted === undefined ? undefined : installed.get(wanted);
    if (known !== undefined) cpSync(known, installedAt, { recursive: true, verbatimSymlinks: true });
    const ended = known === undefined ? await bash(script, workspace, env) : { exitCode: 0, log: "" };
    if (wanted !== undefined && ended.exitCode === 0) installed.set(wanted, installedAt);
    log += ended.log;
    if (step.id !== undefined) stepOutputs[step.id] = readOutputs(outputFile);
    if (exitCode === 0) exitCode = ended.exitCode;
  }
  const outputs = Object.fromEntries(Object.entries(action.outputs).map(([name, { value }]) => [name, evaluate(value)]));
  return { exitCode, log, summary: existsSync(summaryFile) ? readFileSync(summaryFile, "utf8") : "", outputs, used, workspace };
}

/** The two forms of conditions that the action uses; another one is an error of this runner, not a pass. */
function isDue(condition: string | undefined, failed: boolean, lookUp: (path: string) => string): boolean {
  if (condition === undefined) return !failed;
  const always = condition.startsWith("always() && ");
  const parsed = /^([\w.-]+) != ''$/.exec(condition.replace("always() && ", ""));
  if (parsed === null) throw new Error(`this runner does not know the condition ${condition}`);
  return (always || !failed) && lookUp(parsed[1]!) !== "";
}

function readOutputs(file: string): Record<string, string> {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

function bash(
  script: string,
  cwd: string,
  env: Record<string, string>,
): Promise<{ readonly exitCode: number; readonly log: string }> {
  const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", script], { cwd, env });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (log += text));
  return new Promise((resolveEnded, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolveEnded({ exitCode: code ?? 1, log }));
  });
}
