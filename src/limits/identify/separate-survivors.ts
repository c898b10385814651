import { burstSettings, readSettingChanges } from "../history/burst-settings.ts";
import { viewGroup } from "../history/group-view.ts";
import { groupId, readHistory } from "../history/history.ts";
import { identifyLimiter } from "./identify.ts";
import { tolerancesFor } from "../history/tolerances.ts";
import { chooseExperiment, type Experiment } from "./experiment.ts";
import type { ExamRequest } from "../probe/exam-request.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";

/** Experiments at most: each separates as many survivors as it can. */
const experimentsAtMost = 3;

/**
 * While more than one family explains everything that was sent so far, sends what they disagree about most. Ends when one class
 * is left, or when no experiment separates those that are.
 */
export async function separateSurvivors(tools: ProbeTools, probe: ExamRequest): Promise<void> {
  const most = tools.identifies === false ? 0 : experimentsAtMost;
  for (let count = 0; count < most; count += 1) {
    const chosen = nextExperiment(tools, probe);
    if (chosen === null) return;
    tools.enter("S: what the remaining algorithms disagree about");
    tools.onProgress({ kind: "note", text: `to distinguish algorithms: ${chosen.title}` });
    await tools.sleep(chosen.silentWindows * tools.windowMs + 3000, "silence before the requests that distinguish algorithms");
    const startMs = tools.clock.nowMs();
    for (const { atMs, count: simultaneous } of chosen.steps) {
      await tools.sleep(startMs + atMs - tools.clock.nowMs(), "the next reading");
      if (simultaneous === 1) await tools.send(probe);
      else await tools.burst(probe, simultaneous);
    }
  }
}

function nextExperiment(tools: ProbeTools, probe: ExamRequest): Experiment | null {
  const { manifest, sent } = tools;
  const tolerances = tolerancesFor(manifest);
  const history = readHistory(sent, tolerances);
  const members = history.groups.get(groupId(probe.key, probe.endpoint)) ?? [];
  const burst = burstSettings(readSettingChanges(sent, manifest), manifest);
  const view = viewGroup("", members, { manifest, history, tolerances, strict: false, burst });
  const { identification } = identifyLimiter(view, null, false, false);
  if (identification === null || view.limit === null) return null;
  const situation = { ops: view.ops, limit: view.limit, windowMs: tools.windowMs, nowMs: tools.clock.nowMs() };
  return chooseExperiment(identification.survivors, situation)?.experiment ?? null;
}
