import { dirname, resolve } from "node:path";
import { allJudges } from "../../conformance/judges/all-judges.ts";
import { replayFinding } from "../../conformance/send/replay-finding.ts";
import type { Finding } from "../../core/result/finding.ts";
import { exitCodes } from "../../core/result/verdict.ts";
import { safeJson } from "../../report/escape/json.ts";
import { terminalText } from "../../report/escape/terminal.ts";
import { createLiveView } from "../../report/terminal/live-view.ts";
import { findingTitle } from "../../report/text/finding-words.ts";
import { openJudgeContext } from "../../run/judge-context.ts";
import { judgeRun } from "../../run/record/judge-run.ts";
import { needsStage, replayStage, type StageReplay, type StageReplayOptions } from "../../run/replay-stage.ts";
import { reopenReference } from "../../run/reference/reference-process.ts";
import { createRealClock } from "../../wire/clock/real-clock.ts";
import { createWire } from "../../wire/client/wire.ts";
import { chooseRunFolder } from "../../command/choose-run-folder.ts";
import { listenForInterrupt } from "../../command/interrupt.ts";
import { findTarget, requireTarget } from "../../command/load-target.ts";
import type { ReachFlags } from "../../command/target-flags.ts";
import { UsageError } from "../../command/usage-error.ts";
import { chooseFinding } from "./choose-finding.ts";
import { openRun } from "./report.ts";
import { output } from "../../report/terminal/output.ts";

/**
 * Sends the requests of one finding again. 0 fixed, 1 still fails, 3 not clear. A run against the embedded reference service
 * is asked again there, with the switches of that run.
 */
export async function replayCommand(
  folder: string,
  id: string,
  flags: ReachFlags & {
    readonly baseUrl?: string;
    readonly config?: string;
    readonly otherTarget: boolean;
    readonly json: boolean;
  },
): Promise<number> {
  const { record, exchanges, load } = await openRun(folder);
  const result = judgeRun(record, exchanges, load);
  const finding = chooseFinding(result.findings, id);
  if (finding.stage === "baseline" || finding.stage === "harness") {
    const about = finding.stage === "baseline" ? "the baseline of the manifest" : "assay itself";
    return show({ finding, outcome: "inconclusive", reason: `it is about ${about}, not about an answer of the target` }, flags);
  }
  const target = findTarget(flags);
  if (target === null && record.server === null) throw noTarget(record.manifest.target.baseUrl, folder, finding.id);
  refuseOtherTarget(record.manifest.target.baseUrl, target?.manifest.target.baseUrl ?? null, flags);
  if (needsStage(finding)) {
    const {
      outcome,
      reason,
      folder: again,
    } = await runStage({ finding, record, result, manifest: target?.manifest ?? null, folder });
    return show({ finding, outcome, reason: again === null ? reason : `${reason}\nrun: ${again}` }, flags);
  }
  const reference = target === null ? await reopenReference(record) : null;
  const { manifest } = reference ?? target ?? requireTarget(flags);
  const controller = new AbortController();
  const wire = createWire({ manifest, clock: createRealClock() });
  try {
    const { outcome, reason } = await replayFinding({
      finding,
      exchanges,
      sender: wire,
      judges: allJudges,
      context: openJudgeContext(manifest),
      ...(manifest.secrets === undefined ? {} : { secrets: manifest.secrets }),
      signal: controller.signal,
    });
    return show({ finding, outcome, reason }, flags);
  } finally {
    await wire.close();
    await reference?.close();
  }
}

/** A schedule found it, so the schedule is sent again; its requests and time are shown as those of a run. */
async function runStage(
  options: Pick<StageReplayOptions, "finding" | "record" | "result" | "manifest"> & { readonly folder: string },
): Promise<StageReplay> {
  const view = createLiveView(output.screen("stderr"), { verbose: false });
  const interrupt = listenForInterrupt((text) => view.onProgress({ kind: "note", text }));
  const what = options.finding.stage === "load" ? "its load profile" : "the exam of limits";
  view.onProgress({ kind: "note", text: `one request does not show this: ${what} is sent again` });
  try {
    return await replayStage({
      ...options,
      outDir: dirname(resolve(chooseRunFolder(options.folder))),
      signal: interrupt.signal,
      interruptedBy: interrupt.received,
      onProgress: view.onProgress,
    });
  } finally {
    view.finish();
  }
}

interface Replayed {
  readonly finding: Finding;
  readonly outcome: "fixed" | "still fails" | "inconclusive";
  readonly reason: string;
}

function show({ finding, outcome, reason }: Replayed, { json }: { readonly json: boolean }): number {
  const codes = { fixed: exitCodes.met, "still fails": exitCodes.findings, inconclusive: exitCodes.invalid } as const;
  const exitCode = codes[outcome];
  const lines = `${findingTitle(finding)}: ${outcome} - ${reason}`.split("\n");
  const text = json ? safeJson({ finding: finding.id, outcome, reason, exitCode }, 2) : lines.map(terminalText).join("\n");
  output.print(`${text}\n`);
  return exitCode;
}

/** A saved folder alone must not say where keys are sent. */
function noTarget(recorded: string, folder: string, id: string): UsageError {
  return new UsageError(
    `no target is given; the run was recorded at ${terminalText(recorded)}`,
    `if that is where your key belongs: assay replay ${folder} ${id} --base-url ${terminalText(recorded)}`,
  );
}

/**
 * The author of the folder chose the requests: they go with our keys to the place at which they were recorded, or to the target
 * that the operator names.
 */
function refuseOtherTarget(recorded: string, asked: string | null, { otherTarget }: { readonly otherTarget: boolean }): void {
  if (asked === null || asked === recorded || otherTarget) return;
  throw new UsageError(
    `the run was recorded at ${terminalText(recorded)}: its requests would go to ${terminalText(asked)} with your keys`,
    "look at the requests in report.html; if that is what you want, add --other-target",
  );
}
