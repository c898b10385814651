import { chooseKey, tokenKeys } from "../probe/exam-keys.ts";
import { stagesAmong, stagesOfPolicy } from "../probe/exam-stages.ts";
import { type LimitProbe, notJudged } from "../probe/limit-probe.ts";
import { judgeTokens } from "./judge-tokens.ts";
import { mostExhausted, runTokenExam } from "./token-exam.ts";

/** The token limit of a key that has a small one. */
export const tokenProbe: LimitProbe = {
  judge: judgeTokens,
  prepare: (manifest, { stages }) => {
    const key = chooseKey(manifest, tokenKeys);
    if (key === null || manifest.models.chat === null) {
      const lack = "no key with a small token limit (lowToken), or no chat model";
      return { probes: [], notJudged: [notJudged("tokens", "no-fixture", lack)] };
    }
    const own = stagesAmong(stages, stagesOfPolicy("tokens"));
    const exhaust = manifest.permissions.exhaustLimits;
    return {
      probes: [
        {
          title: "Token limit",
          key,
          alone: false,
          stages: own,
          dearest: { tokensPerMinute: mostExhausted },
          run: (tools) => runTokenExam(tools, { key, exhaust, stages: own }),
        },
      ],
      notJudged: [],
    };
  },
};
