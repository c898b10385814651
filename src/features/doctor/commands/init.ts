import { existsSync, writeFileSync } from "node:fs";
import { initialManifest, type InitialFacts } from "../../../config/initial-manifest.ts";
import { manifestOfAddress } from "../../../config/load-manifest.ts";
import { describeChoices } from "./describe-choices.ts";
import { exitCodes } from "../../../core/result/verdict.ts";
import { terminalText } from "../../../report/escape/terminal.ts";
import { surveyTarget } from "../diagnose/survey-target.ts";
import { foreseeMissing } from "../../../run/scope/foresee-missing.ts";
import { createRealClock } from "../../../wire/clock/real-clock.ts";
import { foreseeCost } from "../../../run/scope/foresee-cost.ts";
import { listenForInterrupt } from "../../../command/interrupt.ts";
import { maskKeysOf } from "../../../command/mask-output.ts";
import { type ReachFlags, reachOf } from "../../../command/target-flags.ts";
import { UsageError } from "../../../command/usage-error.ts";
import { output } from "../../../report/terminal/output.ts";

export interface InitFlags extends ReachFlags {
  readonly baseUrl?: string;
  readonly force: boolean;
}

const fileName = "assay.config.yaml";

/** Writes the commented manifest, fitted to the target of `--base-url`; never over an existing one unless asked so. */
export async function initCommand({ baseUrl, force, ...reach }: InitFlags): Promise<number> {
  if (!force && existsSync(fileName)) throw alreadyThere();
  const facts = baseUrl === undefined ? null : await lookAt(baseUrl, reach);
  if (facts === "unusable") return exitCodes.invalid;
  try {
    writeFileSync(fileName, initialManifest(baseUrl ?? "http://127.0.0.1:8080", facts), { flag: force ? "w" : "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw alreadyThere();
    throw error;
  }
  const first = (process.env["ASSAY_API_KEY"] ?? "") === "" ? "set ASSAY_API_KEY, then " : "";
  const choices = facts === null ? [] : describeChoices(facts);
  const lines = [
    `wrote ${fileName}`,
    ...choices.map((line) => `  ${terminalText(line)}`),
    `next: ${first}assay check --plan and assay check`,
  ];
  output.print(`${lines.join("\n")}\n`);
  return exitCodes.met;
}

/** The facts that the target shows; "unusable", with the reasons on standard error, if something prevents a run. */
async function lookAt(baseUrl: string, reach: ReachFlags): Promise<InitialFacts | "unusable"> {
  const manifest = manifestOfAddress(baseUrl, { env: process.env, flags: reachOf(reach) });
  maskKeysOf(manifest);
  const interrupt = listenForInterrupt(output.say);
  try {
    const { diagnoses, manifest: found } = await surveyTarget(manifest, { clock: createRealClock(), signal: interrupt.signal });
    const failed = diagnoses.filter(({ status }) => status === "failed");
    for (const { check, message, hint } of failed) {
      output.say(`${check}: ${terminalText(message)}${hint === null ? "" : `\n  ${terminalText(hint)}`}`);
    }
    if (failed.length > 0 || interrupt.signal.aborted) {
      output.say(`${fileName} was not written; assay init without --base-url writes one without looking`);
      return "unusable";
    }
    if (manifest.keys["primary"] === undefined) {
      output.say("ASSAY_API_KEY is not set: models and endpoints that need a key were not looked at");
    }
    // As a run would see it, with the key that the file refers to.
    const planned = { ...found, keys: { primary: { secret: "", id: null, createdAtMs: null } } };
    const isKeyed = manifest.keys["primary"] !== undefined;
    return { found, missing: await foreseeMissing(planned), worst: foreseeCost(planned), isKeyed };
  } finally {
    interrupt.release();
  }
}

function alreadyThere(): UsageError {
  return new UsageError(`${fileName} exists already`, "remove it, or overwrite it with --force");
}
