import { allJudges } from "../../conformance/judges/all-judges.ts";
import { replayFinding } from "../../conformance/send/replay-finding.ts";
import { exitCodes } from "../../core/result/verdict.ts";
import { terminalText } from "../../report/escape/terminal.ts";
import { openJudgeContext } from "../../run/record/judge-context.ts";
import { judgeRun } from "../../run/record/judge-run.ts";
import { reopenReference } from "../../run/reference/reopen-reference.ts";
import { createRealClock } from "../../wire/clock/real-clock.ts";
import { createWire } from "../../wire/client/wire.ts";
import { findTarget, requireTarget } from "../load-target.ts";
import { UsageError } from "../usage-error.ts";
import { openRun } from "./report.ts";

/**
 * Sends the requests of one finding again. 0 fixed, 1 still fails, 3 cannot tell. A run against the embedded reference service
 * is asked again there, with the switches of that run.
 */
export async function replayCommand(
  folder: string,
  id: string,
  flags: { readonly baseUrl?: string; readonly config?: string; readonly otherTarget: boolean },
): Promise<number> {
  const { record, exchanges, load } = await openRun(folder);
  const finding = judgeRun(record, exchanges, load).findings.find((one) => one.id === id.toUpperCase());
  if (finding === undefined) throw new UsageError(`the run has no finding ${id}`, "assay report lists them");
  const target = findTarget(flags);
  const reference = target === null ? await reopenReference(record) : null;
  const { manifest } = reference ?? target ?? requireTarget(flags);
  refuseOtherTarget(record.manifest.target.baseUrl, target?.manifest.target.baseUrl ?? null, flags);
  const controller = new AbortController();
  const wire = createWire({ manifest, clock: createRealClock() });
  try {
    const { outcome, reason } = await replayFinding({
      finding,
      exchanges,
      sender: wire,
      judges: allJudges,
      context: openJudgeContext(manifest),
      signal: controller.signal,
    });
    process.stdout.write(`${finding.id} ${finding.requirement ?? finding.check}: ${outcome} - ${terminalText(reason)}\n`);
    const codes = { fixed: exitCodes.met, "still fails": exitCodes.findings, "cannot tell": exitCodes.invalid } as const;
    return codes[outcome];
  } finally {
    await wire.close();
    await reference?.close();
  }
}

/** Whoever wrote the folder chose the requests: they go with our keys to the place where they were recorded, or where it is meant. */
function refuseOtherTarget(recorded: string, asked: string | null, { otherTarget }: { readonly otherTarget: boolean }): void {
  if (asked === null || asked === recorded || otherTarget) return;
  throw new UsageError(
    `the run was recorded at ${terminalText(recorded)}: its requests would go to ${terminalText(asked)} with your keys`,
    "look at the requests in report.html; if that is what you want, add --other-target",
  );
}
