import type { LimitsResult } from "../../core/result/limits-result.ts";
import { chooseExamKeys } from "../exam/exam-keys.ts";
import type { LimitProbe } from "../exam/limit-probe.ts";
import { mayChange } from "../exam/settings.ts";
import { judgeSpend } from "./judge-spend.ts";
import { runSpendExam, spendExamPurchases } from "./spend-exam.ts";

/** Caps of a key and of its account. */
export const spendProbe: LimitProbe = {
  judge: judgeSpend,
  prepare: (manifest) => {
    const { spend: key, spendTwin } = chooseExamKeys(manifest);
    const cents = Math.ceil(manifest.prices.perImage * 100 * spendExamPurchases);
    const without = (reason: string): LimitsResult["notJudged"] => [{ policy: "spend caps", reason }];
    if (key === null) return { probes: [], notJudged: without("no-fixture: no key named spendA whose cap may be reached") };
    if (!mayChange({ manifest }, `key:${key}`, ["monthly_spend_cap"])) {
      return {
        probes: [],
        notJudged: without("not-permitted: patchSettings, the id of the key and its values to restore are needed"),
      };
    }
    if (manifest.permissions.spendUpToCents < cents) {
      const { spendUpToCents } = manifest.permissions;
      return { probes: [], notJudged: without(`not-permitted: up to ${cents} cents are needed, ${spendUpToCents} are allowed`) };
    }
    const virtual = manifest.control !== null;
    return {
      probes: [
        {
          id: "spend",
          title: "Spend caps",
          key,
          // The account's cap refuses every key.
          alone: true,
          cents,
          run: (tools) => runSpendExam(tools, { key, twin: spendTwin, virtual }),
        },
      ],
      notJudged: [
        ...(spendTwin === null
          ? [{ policy: "account cap", reason: "no-fixture: no second key of the same account (spendB)" }]
          : []),
        ...(virtual
          ? []
          : [{ policy: "billing cycle", reason: "no-fixture: the end of a month can only be reached on a virtual clock" }]),
      ],
    };
  },
};
