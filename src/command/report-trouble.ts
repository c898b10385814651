import { exitCodes } from "../core/result/verdict.ts";
import { terminalText } from "../report/escape/terminal.ts";
import type { ReporterOutcome } from "../report/reporters/run-reporters.ts";
import { output } from "../report/terminal/output.ts";

/**
 * Says which reports are not there, and with what a command ends that met no other trouble: a path that cannot be written is a
 * mistake of the operator, a collector that is down changes nothing.
 */
export function reportTrouble(reports: readonly ReporterOutcome[], exitCode: number): number {
  for (const { name, problem, sent } of reports) {
    if (problem === null) continue;
    output.say(`assay: ${sent ? `${name} was not sent` : `the reporter ${name} failed`}: ${terminalText(problem)}`);
  }
  const isLost = reports.some(({ problem, sent }) => problem !== null && !sent);
  return isLost && exitCode === exitCodes.met ? exitCodes.usage : exitCode;
}
