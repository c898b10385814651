import type { UntestedReason } from "../../core/result/verdict.ts";
import { chooseKey } from "../probe/exam-keys.ts";
import { stagesAmong, stagesOfPolicy } from "../probe/exam-stages.ts";
import { type LimitProbe, type Preparation, notJudged } from "../probe/limit-probe.ts";
import { mayChange } from "../probe/settings.ts";
import { judgeSpend } from "./judge-spend.ts";
import { runSpendExam } from "./spend-exam.ts";

/** Caps of a key and of its account. */
export const spendProbe: LimitProbe = {
  judge: judgeSpend,
  paid: "spend caps",
  prepare: (manifest, { stages }) => {
    const key = chooseKey(manifest, ["spendA", "examSpend"]);
    const spendTwin = chooseKey(manifest, ["spendB"]);
    const without = (untested: UntestedReason, lack: string): Preparation => ({
      probes: [],
      notJudged: [notJudged("spend caps", untested, lack)],
    });
    if (key === null) return without("no-fixture", "no key named spendA whose cap may be reached");
    if (!mayChange({ manifest }, `key:${key}`, ["monthly_spend_cap"])) {
      return without("not-permitted", "patchSettings, the id of the key and its values to restore are needed");
    }
    const own = stagesAmong(stages, stagesOfPolicy("spend"));
    const virtual = manifest.control !== null;
    return {
      probes: [
        {
          title: "Spend caps",
          key,
          // The account's cap refuses every key.
          alone: true,
          stages: own,
          run: (tools, { purchases }) => runSpendExam(tools, { key, twin: spendTwin, virtual, purchases, stages: own }),
        },
      ],
      notJudged: [
        ...(spendTwin === null ? [notJudged("account cap", "no-fixture", "no second key of the same account (spendB)")] : []),
        ...(virtual
          ? []
          : [
              notJudged(
                "billing cycle",
                "no-fixture",
                "the end of a month lies within the time of an exam by chance, or on a virtual clock",
              ),
            ]),
      ],
    };
  },
};
