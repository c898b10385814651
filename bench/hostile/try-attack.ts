import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { givenAway } from "../../test/make/hostile/encode-canary.ts";
import type { Attack } from "./attack.ts";
import { stolenPath } from "./attacks/texts.ts";
import type { AttackedCommand } from "./commands.ts";
import { runBounded, type BoundedRun, type Bounds } from "./run-bounded.ts";
import { serveAttack } from "./serve-attack.ts";
import { statedSeconds } from "./stated-seconds.ts";

/** `default`: of a user who declares a target and a key, and nothing else. `small`: seconds and few requests, for CI. */
export type Settings = "default" | "small";

/** How one command came through one attack. */
export interface Tried {
  readonly settings: Settings;
  readonly attack: string;
  readonly command: string;
  readonly exitCode: number | null;
  readonly seconds: number;
  /** The most seconds that the run itself stated; null: it stated nothing. */
  readonly statedSeconds: number | null;
  readonly requests: number;
  readonly peakMegabytes: number;
  /** The bounds that did not hold; empty if all did. */
  readonly broken: readonly string[];
}

const secret = "sk_live_Zx81LqT0pWv73NdRf5Ub";
const leaked: readonly string[] = [secret.slice(8), Buffer.from(secret).toString("base64").slice(12, 30)];
const echoed: readonly string[] = [...leaked, ...givenAway(secret)];
/** Beside what a run states: starting, judging and writing, on a machine that others use too. */
const graceSeconds = 120;

/** Runs a built command, and what reads its folder, against a target that answers every request with the attack. */
export async function tryAttack(
  attack: Attack,
  command: AttackedCommand,
  settings: Settings,
  bounds: Bounds,
): Promise<readonly Tried[]> {
  const target = await serveAttack(attack);
  const folder = mkdtempSync(join(tmpdir(), "assay-hostile-"));
  writeFileSync(join(folder, "assay.config.yaml"), manifestOf(target.url, attack, command, settings));
  try {
    const first = await runBounded(command.args(target.url), { folder, secret, bounds });
    const asked = target.asked();
    const tried: Tried[] = [
      {
        ...describe(attack, command.id, settings, first, asked.length),
        statedSeconds: statedSeconds(first.output),
        broken: [
          ...findBroken(first, folder, bounds, { mayPass: command.mayPass, echoes: attack.echoes }),
          ...(settings === "small" && asked.length > command.requests + unbudgeted ? ["over the budget"] : []),
          ...(asked.some((path) => path.startsWith(stolenPath)) ? ["followed a redirect"] : []),
          ...isLate(first),
        ],
      },
    ];
    for (const next of command.next ?? []) {
      const before = target.asked().length;
      const run = await runBounded(next.args(runFolder(folder)), { folder, secret, bounds });
      const broken = findBroken(run, folder, bounds, { mayPass: next.mayPass, echoes: attack.echoes });
      const requests = target.asked().length - before;
      tried.push({
        ...describe(attack, `${next.id} of ${command.id}`, settings, run, requests),
        statedSeconds: null,
        broken,
      });
    }
    return tried;
  } finally {
    await target.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Requests beside those that a budget counts: none; a connection that is lost on its way is sent over once. */
const unbudgeted = 5;

function manifestOf(url: string, attack: Attack, { requests, manifest = "" }: AttackedCommand, settings: Settings): string {
  const small = settings === "small";
  return [
    `target: { baseUrl: "${url}"${small ? ", timeoutMs: 1000, bodyIdleMs: 1000, bodyTotalMs: 2000" : ""} }`,
    'keys: { primary: "${ASSAY_API_KEY}", reject: "${ASSAY_REJECT_KEY}" }',
    "models: { chat: m, embedding: m }",
    "permissions: { exhaustLimits: true, loadUpToRps: 1000 }",
    small ? `budget: { maxRequests: ${requests} }` : "",
    attack.manifest ?? "",
    manifest,
    "",
  ].join("\n");
}

function describe(
  attack: Attack,
  command: string,
  settings: Settings,
  run: BoundedRun,
  requests: number,
): Omit<Tried, "broken" | "statedSeconds"> {
  const { exitCode, seconds, peakMegabytes } = run;
  return { settings, attack: attack.id, command, exitCode, seconds, requests, peakMegabytes };
}

function isLate({ output, seconds }: BoundedRun): readonly string[] {
  const stated = statedSeconds(output);
  return stated !== null && seconds > stated + graceSeconds ? [`later than the ${stated} s that it stated`] : [];
}

function findBroken(
  { exitCode, output, peakMegabytes }: BoundedRun,
  folder: string,
  bounds: Bounds,
  { mayPass = false, echoes = false }: { readonly mayPass?: boolean | undefined; readonly echoes?: boolean | undefined },
): readonly string[] {
  const left = [output, ...readAll(folder)];
  return [
    exitCode === null ? "did not end" : "",
    exitCode === 4 ? `exit 4: ${left.map((text) => /assay itself[^\n]*/.exec(text)?.[0]).find(Boolean) ?? ""}` : "",
    exitCode === 0 && !mayPass ? "called good" : "",
    peakMegabytes > bounds.megabytes ? "memory" : "",
    (echoes ? echoed : leaked).some((form) => left.some((text) => text.includes(form))) ? "key leaked" : "",
    // No byte of a target may steer a terminal or a log of CI.
    // oxlint-disable-next-line no-control-regex
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|^::/m.test(output) ? "control characters in the terminal" : "",
    /^\s+at .*\.[jt]s:\d+/m.test(output) ? "a stack in the output" : "",
  ].filter((one) => one !== "");
}

function runFolder(folder: string): string {
  const reports = join(folder, "reports");
  const name = existsSync(reports) ? readdirSync(reports).find((one) => /^\d{4}-/.test(one)) : undefined;
  return name === undefined ? reports : join(reports, name);
}

/** File by file: together they may be longer than a string may be. */
function readAll(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "utf8"));
}
