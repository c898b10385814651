import { exitCodes } from "../../core/result/verdict.ts";
import { terminalText } from "../../report/escape/terminal.ts";
import { createScreen, type Paint } from "../../report/terminal/screen.ts";
import { diagnose } from "../../run/doctor/doctor.ts";
import type { Diagnosis } from "../../run/doctor/diagnosis.ts";
import { createRealClock } from "../../wire/clock/real-clock.ts";
import { listenForInterrupt } from "../interrupt.ts";
import { requireTarget } from "../load-target.ts";

export interface DoctorFlags {
  readonly baseUrl?: string;
  readonly config?: string;
  readonly json: boolean;
}

const paints: Readonly<Record<Diagnosis["status"], Paint>> = { ok: "green", warning: "yellow", failed: "red", skipped: "dim" };

/** Looks at the target with at most ten requests; 0 when nothing stands against a run, 3 when something does. */
export async function doctorCommand(flags: DoctorFlags): Promise<number> {
  const { manifest, notes } = requireTarget(flags);
  const screen = createScreen({ stream: process.stdout, env: process.env });
  const interrupt = listenForInterrupt((text) => process.stderr.write(`${text}\n`));
  const print = ({ check, status, message, hint }: Diagnosis): void => {
    screen.write(`${screen.paint(paints[status], status.padEnd(7))} ${check.padEnd(20)} ${terminalText(message)}\n`);
    if (hint !== null) screen.write(`${" ".repeat(29)}${terminalText(hint)}\n`);
  };
  try {
    for (const note of notes) process.stderr.write(`${note}\n`);
    const found = await diagnose(manifest, {
      clock: createRealClock(),
      signal: interrupt.signal,
      ...(flags.json ? {} : { onDiagnosis: print }),
    });
    if (flags.json) screen.write(`${JSON.stringify(found, null, 2)}\n`);
    return found.some((one) => one.status === "failed") ? exitCodes.invalid : exitCodes.met;
  } finally {
    interrupt.release();
  }
}
