import { existsSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { openInBrowser } from "../../../command/open-in-browser.ts";
import { UsageError } from "../../../command/usage-error.ts";
import { exitCodes } from "../../../core/result/verdict.ts";
import { terminalText } from "../../../report/escape/terminal.ts";
import { output } from "../../../report/terminal/output.ts";
import { listFailures } from "../../../report/list-failures.ts";
import { countOf } from "../../../report/text/format-number.ts";
import { renderHistoryHtml } from "../report/render-history-html.ts";
import { findRuns } from "../../../command/find-runs.ts";
import { createHistory, type History } from "../runs/history.ts";

export interface HistoryFlags {
  readonly target?: string;
  readonly out?: string;
  readonly open: boolean;
  readonly json: boolean;
}

/** Writes the page, and a few lines of what it says. The exit code says that it was written, nothing of the verdicts. */
export async function historyCommand(dir: string, flags: HistoryFlags): Promise<number> {
  if (!existsSync(dir))
    throw new UsageError(`there is no folder ${dir}`, "give the folder that holds run folders, such as reports");
  const history = createHistory(findRuns(dir), flags.target);
  if (history === null)
    throw new UsageError(
      flags.target === undefined ? `${dir} holds no run that can be read` : `${dir} holds no run of ${flags.target}`,
      "a run folder holds a result.json",
    );
  for (const { path, reason } of history.skipped) output.say(`assay: ${terminalText(`${path} is left out: ${reason}`)}`);
  if (flags.json) {
    output.printJson(summarize(history));
    return exitCodes.met;
  }
  const file = flags.out ?? join(dir, "index.html");
  // Links lead from the page to the reports.
  const up = relative(dirname(resolve(file)), resolve(dir))
    .split("\\")
    .join("/");
  const runs = history.runs.map((run) => ({ ...run, path: up === "" ? run.path : `${up}/${run.path}` }));
  writeFileSync(file, renderHistoryHtml({ ...history, runs }));
  output.print(`${[...describe(history), file].map(terminalText).join("\n")}\n`);
  if (flags.open) openInBrowser(file);
  return exitCodes.met;
}

function describe({ target, runs, findings }: History): readonly string[] {
  const standing = findings.filter(({ state }) => state !== "gone");
  return [
    `${target}: ${countOf(runs.length, "run")}, the newest ${runs.at(-1)?.result.verdict ?? "unknown"}`,
    ...standing.slice(0, 10).map(({ id, state, finding }) => `${state.padEnd(8)}  ${id}  ${finding.message}`),
    ...(standing.length > 10 ? [`and ${countOf(standing.length - 10, "more finding")}`] : []),
  ];
}

function summarize({ target, runs, others, skipped, left, findings, latencies }: History): object {
  return {
    target,
    runs: runs.map(({ path, label, result }) => ({
      path,
      label,
      startedAt: result.startedAt,
      verdict: result.verdict,
      exitCode: result.exitCode,
      failures: listFailures(result).length,
      scope:
        result.scope === null
          ? null
          : { judged: result.scope.judged, inScope: result.scope.inScope, outside: result.scope.outside },
    })),
    otherTargets: others,
    skipped,
    olderRuns: left,
    findings: findings.map(({ id, state, presence, finding }) => ({ id, state, message: finding.message, presence })),
    latencies,
  };
}
