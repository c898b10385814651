import { exitCodes } from "../../../core/result/verdict.ts";
import { terminalText } from "../../../report/escape/terminal.ts";
import type { DoctorFlags } from "../../../command/doctor-flags.ts";
import type { Feature } from "../../../command/feature.ts";
import { UsageError } from "../../../command/usage-error.ts";
import { diagnose } from "../diagnose/diagnose.ts";
import type { Diagnosis } from "../../../command/diagnosis.ts";
import { createRealClock } from "../../../wire/clock/real-clock.ts";
import { listenForInterrupt } from "../../../command/interrupt.ts";
import { requireTarget } from "../../../command/load-target.ts";
import type { Paint } from "../../../report/terminal/screen.ts";
import { output } from "../../../report/terminal/output.ts";

const paints: Readonly<Record<Diagnosis["status"], Paint>> = { ok: "green", warning: "yellow", failed: "red", skipped: "dim" };

/** Looks at the target with at most ten requests; 0 when nothing stands against a run, 3 when something does. */
export async function doctorCommand(flags: DoctorFlags, features: readonly Feature[]): Promise<number> {
  if (flags.profile !== undefined && flags.redis === undefined) {
    throw new UsageError("--profile says what agents are to send", "give --redis, too");
  }
  const { manifest, notes } = requireTarget(flags);
  const screen = output.screen("stdout");
  const interrupt = listenForInterrupt(output.say);
  const print = ({ check, status, message, hint }: Diagnosis): void => {
    screen.write(`${screen.paint(paints[status], status.padEnd(7))} ${check.padEnd(20)} ${terminalText(message)}\n`);
    if (hint !== null) screen.write(`${" ".repeat(29)}${terminalText(hint)}\n`);
  };
  try {
    for (const note of notes) output.say(note);
    const target = await diagnose(manifest, {
      clock: createRealClock(),
      signal: interrupt.signal,
      ...(flags.json ? {} : { onDiagnosis: print }),
    });
    const others = (await Promise.all(features.map(async (feature) => (await feature.diagnose?.(flags, manifest)) ?? []))).flat();
    if (!flags.json) for (const one of others) print(one);
    const found = [...target, ...others];
    if (flags.json) screen.write(`${JSON.stringify(found, null, 2)}\n`);
    return found.some((one) => one.status === "failed") ? exitCodes.invalid : exitCodes.met;
  } finally {
    interrupt.release();
  }
}
