import type { LimitOp } from "../history/op.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { withSettings } from "../probe/settings.ts";
import { type BurstExamSubject, burstSettingsOfExam } from "./burst-requests.ts";

/** Requests of a window that come before each change: more than lags and refills explain. */
const usedCount = 8;

/**
 * A change of settings twice, each right after requests of one window and followed by one more: the second is that back to the value
 * before. Left out where the key has an allowance of its own that these requests might use up.
 */
export async function changeWithinWindow(tools: ProbeTools, subject: BurstExamSubject): Promise<void> {
  const own = tools.manifest.restore.keys[subject.key]?.["burst_limit"] ?? null;
  if (own !== null && own < 4 * usedCount) {
    const text = `the key's own burst limit of ${own} leaves no room for ${4 * usedCount} requests`;
    return tools.notJudged({ policy: "change of settings within a window, burst", text });
  }
  const send = (phase: "window-used" | "window-read"): Promise<LimitOp> =>
    tools.send({ policy: "burst", phase, key: subject.key, endpoint: "models", timedByInstant: true });
  const use = async (): Promise<boolean> => {
    for (let count = 0; count < usedCount; count += 1) {
      const { outcome } = await send("window-used");
      if (outcome !== "admitted") return false;
    }
    return true;
  };
  if (!(await use())) return;
  let isUsed = false;
  await withSettings(tools, `key:${subject.key}`, ["cooldown_seconds"], async ({ change }) => {
    await change({ cooldown_seconds: burstSettingsOfExam.cooldown_seconds });
    await send("window-read");
    isUsed = await use();
  });
  if (isUsed) await send("window-read");
}
