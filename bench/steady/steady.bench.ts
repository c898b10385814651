import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createRandom } from "../../src/core/random.ts";
import type { Stage } from "../../src/index.ts";
import { knownPersonalities } from "../detection/personalities.ts";
import { drawMutants } from "../detection/trial.ts";
import { beside, type SteadyEnd, type SteadyTrial, tryOnce } from "./steady-trial.ts";

// npm run bench:steady -- [--lawful 12] [--mutants 30] [--busy 0,4,16] [--stages check,limits,run] [--seed 1] [--minutes 240]
// Verdicts are properties of the target: lawful servers and mutants beside busy loops, one run after the other. The usual form is small;
// the whole one is `npm run bench:steady -- --lawful 14 --mutants 30 --stages check,limits,run --busy 0,4,16 --minutes 600`.

const { values: flags } = parseArgs({
  options: {
    lawful: { type: "string", default: "2" },
    mutants: { type: "string", default: "2" },
    busy: { type: "string", default: "0,16" },
    stages: { type: "string", default: "check" },
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "10" },
  },
});

const stagesOf: Readonly<Record<string, readonly Stage[]>> = {
  check: ["conformance"],
  limits: ["limits"],
  run: ["conformance", "limits", "load"],
};

/** A run that takes longer hangs: the longest run takes two minutes alone, and ten beside sixteen loops. */
const mostSeconds = 3600;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Calm first: a defect that nothing found there is not looked for beside busy loops. */
function planTrials(): readonly SteadyTrial[] {
  const seed = Number(flags.seed);
  const lawful = knownPersonalities.slice(0, Number(flags.lawful)).map((personality) => ({ personality, mutant: null }));
  const [plain] = knownPersonalities;
  const mutants = drawMutants(createRandom(seed), Number(flags.mutants)).map(({ id }) => ({ personality: plain!, mutant: id }));
  return flags.busy.split(",").flatMap((busy) =>
    flags.stages.split(",").flatMap((name) =>
      [...lawful, ...(name === "limits" ? [] : mutants)].map((subject) => ({
        ...subject,
        stages: stagesOf[name] ?? [],
        seed,
        busy: Number(busy),
      })),
    ),
  );
}

/** The fault in how a trial ended; null: none. */
function findFault({ mutant }: SteadyTrial, { exitCode }: SteadyEnd, calm: number | undefined): string | null {
  if (exitCode === 4) return "a fault of ours";
  if (exitCode === -1) return "hung";
  if (mutant === null) return exitCode === 1 ? "a lawful server is accused" : null;
  return calm === 1 && exitCode === 0 ? "a defect that fails in calm passes" : null;
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "assay-steady-"));
  const untilMs = performance.now() + 60_000 * Number(flags.minutes);
  const calm = new Map<string, number>();
  const ends: { readonly trial: SteadyTrial; readonly end: SteadyEnd }[] = [];
  let [faults, left] = [0, 0];
  for (const trial of planTrials()) {
    if (performance.now() > untilMs) {
      left += 1;
      continue;
    }
    const name = `${trial.mutant ?? trial.personality.name}, ${trial.stages.join("+")}`;
    const end = await beside(trial.busy, () => tryOnce(trial, folder, mostSeconds));
    if (trial.busy === 0) calm.set(name, end.exitCode);
    const fault = findFault(trial, end, calm.get(name));
    if (fault !== null) faults += 1;
    ends.push({ trial, end });
    const words = end.exitCode === 0 ? "" : `  ${end.findings.join(" ")} ${end.reason.slice(0, 160)}`;
    print(
      `${String(trial.busy).padStart(2)} busy  ${end.seconds.toFixed(0).padStart(4)} s  exit ${end.exitCode}  ${name}${words}`,
    );
    if (fault !== null) print(`   FAULT: ${fault}`);
  }
  rmSync(folder, { recursive: true, force: true });
  const lawful = ends.filter(({ trial }) => trial.mutant === null);
  const open = lawful.filter(({ end }) => end.exitCode === 3).length;
  print(
    `${ends.length} runs, ${left} not begun; ${lawful.length} of lawful servers, ${open} of these ended in 3 (at most 3 % may); ${faults} faults`,
  );
  if (faults > 0 || open > Math.max(1, 0.03 * lawful.length)) process.exitCode = 1;
}

await main();
