import type { Manifest } from "../../core/manifest.ts";
import { chooseKey, queueKeys, twinKeys } from "../probe/exam-keys.ts";
import { type ExamStages, stagesAmong } from "../probe/exam-stages.ts";
import { type LimitProbe, type PreparedProbe, notJudged } from "../probe/limit-probe.ts";
import type { NotJudged } from "../probe/not-judged.ts";
import { mayChange } from "../probe/settings.ts";
import { usageRequest } from "../probe/usage-request.ts";
import { runBurstExam } from "./burst-exam.ts";
import type { BurstExamSubject } from "./burst-requests.ts";
import { judgeBursts } from "./judge-burst.ts";

const members = ["burst_limit", "cooldown_seconds"];

/** Burst allowance and cooldown of one key, and of one whose requests are queued. */
export const burstProbe: LimitProbe = {
  judge: judgeBursts,
  prepare: (manifest, { exam, stages }) => {
    const burst = chooseKey(manifest, ["examBurst", "examSettings", "primary"]);
    const burstQueue = chooseKey(manifest, queueKeys);
    const otherKey = chooseKey(manifest, twinKeys);
    const probes: PreparedProbe[] = [];
    const missing: NotJudged[] = [];
    const ownStages = stagesAmong(stages, ["burst.volley", "burst.one-by-one"]);
    const rounds = roundsOf(ownStages, exam === "full" || manifest.control !== null);
    if (stages.has("burst.volley") && burst !== null && canSet(manifest, burst)) {
      probes.push({
        title: "Burst and cooldown",
        key: burst,
        alone: false,
        stages: ownStages,
        run: (tools) => runBurstExam(tools, { key: burst, otherKey, other: usageRequest(tools.clock), rounds }),
      });
    } else if (stages.has("burst.volley")) {
      const lack = "patchSettings, a key with an id and its values to restore are needed";
      missing.push(notJudged("burst", "not-permitted", lack));
    }
    if (stages.has("burst.queue") && burstQueue === null) {
      missing.push(notJudged("queue", "no-fixture", "no key named queue, whose preference is to queue"));
    } else if (stages.has("burst.queue") && burstQueue !== null && canSet(manifest, burstQueue)) {
      probes.push({
        title: "Queueing in a cooldown",
        key: burstQueue,
        alone: false,
        stages: stagesAmong(stages, ["burst.queue"]),
        run: (tools) =>
          runBurstExam(tools, { key: burstQueue, otherKey: null, other: usageRequest(tools.clock), rounds: "queue" }),
      });
    }
    return { probes, notJudged: missing };
  },
};

function roundsOf(stages: ExamStages, mayTakeLong: boolean): BurstExamSubject["rounds"] {
  if (!stages.has("burst.one-by-one")) return "one-volley";
  return mayTakeLong ? "thorough" : "both";
}

function canSet(manifest: Manifest, key: string): boolean {
  return mayChange({ manifest }, `key:${key}`, members);
}
