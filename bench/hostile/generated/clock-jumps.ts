import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../../../src/core/result/result.ts";
import { startReferenceService } from "../../../src/index.ts";
import { runBounded } from "../run-bounded.ts";
import type { GeneratedClass } from "./generated-class.ts";
import { bounds, findFaults, folderWith, keyOf } from "./try-command.ts";

const hourMs = 3_600_000;
const setClock = new URL("set-clock.mjs", import.meta.url).href;

function readResult(folder: string): Result | null {
  const reports = join(folder, "reports");
  const name = existsSync(reports) ? readdirSync(reports).find((one) => /^\d{4}-/.test(one)) : undefined;
  return name === undefined ? null : (JSON.parse(readFileSync(join(reports, name, "result.json"), "utf8")) as Result);
}

function verdictsOf({ verdict, conformance, limits }: Result): string {
  return JSON.stringify([
    verdict,
    conformance?.requirements.map((one) => [one.id, one.verdict]),
    limits?.policies.flatMap(({ checks }) => checks.map((one) => [one.id, one.verdict])),
  ]);
}

/** By how much a clock is ahead: either way. */
const offsets = new Set(["clockOffsetMs", "byMs"]);

/** Lengths of time below zero, by the names of their members. */
function negativeLengths(value: unknown, member = ""): readonly string[] {
  if (typeof value === "number")
    return /Ms$|Seconds$/.test(member) && !offsets.has(member) && value < 0 ? [`${member} ${value}`] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => negativeLengths(inner, Array.isArray(value) ? member : name));
}

/** The wall clock of the machine is set while a run goes on: the same verdicts, and no length below zero. */
export const clockJumps: GeneratedClass = {
  id: "clock jumps",
  make: async ({ count, random }) => {
    const service = await startReferenceService({ seed: 3 });
    const secret = keyOf(service);
    const check = async (jumps: string) => {
      const folder = folderWith({
        "assay.config.yaml": { target: { baseUrl: service.url }, keys: { primary: "${ASSAY_API_KEY}" } },
      });
      const env = jumps === "" ? {} : { NODE_OPTIONS: `--import=${setClock}`, SET_CLOCK: jumps };
      const run = await runBounded(["check", "--suite", "models", "--seed", "7"], { folder, secret, bounds, env });
      return { run, folder, result: readResult(folder) };
    };
    const calm = await check("");
    if (calm.result === null) throw new Error(`the calm run left nothing: ${calm.run.output}`);
    const wanted = verdictsOf(calm.result);
    const jump = (): string => `${random(100)}:${(random(1) === 0 ? 1 : -1) * (1 + random(48)) * hourMs}`;
    return {
      cases: Array.from({ length: count }, () => {
        const jumps = Array.from({ length: 1 + random(2) }, jump).join(",");
        return {
          id: `set by ${jumps} (milliseconds after the first connection: by so many)`,
          run: async () => {
            const { run, folder, result } = await check(jumps);
            const own = result === null ? ["no result"] : [];
            return {
              runs: [run],
              broken: [
                ...findFaults(run, folder, secret),
                ...own,
                ...(result === null || verdictsOf(result) === wanted ? [] : ["another verdict than that of a calm clock"]),
                ...negativeLengths(result),
                ...(result?.health.clockJumps === undefined ? ["a jump that is not noted"] : []),
                ...(result === null || result.durationMs < 300_000 ? [] : [`a run of ${result.durationMs} ms`]),
              ],
            };
          },
        };
      }),
      close: () => service.close(),
    };
  },
};
