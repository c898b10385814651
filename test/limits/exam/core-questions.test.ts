import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { LimitPolicyResult } from "../../../src/core/result/limits-result.ts";
import { judgeLimits } from "../../../src/limits/exam/judge-limits.ts";
import { isWhole } from "../../make/runner/sample.ts";
import { type LimitArea, limitAreas, recordSwitch, type SwitchRecord } from "../sockets/examine-switch.ts";

/**
 * The questions that nobody may read as answered if they were not: written here anew, so that a question cannot get lost with
 * its list.
 */
const questions: Readonly<Partial<Record<LimitPolicyResult["kind"], readonly string[]>>> = {
  requests: ["limits.under-admission", "limits.retry-after-form"],
  tokens: ["tokens.wrong-charge", "tokens.over-admission"],
  burst: ["burst.over-admission", "burst.under-admission", "burst.cooldown-too-long"],
  "key-cap": ["spend.admitted-at-cap", "spend.overshoot", "spend.raise-ignored", "spend.lower-ignored", "spend.refusal-shape"],
  "account-cap": ["spend.account-cap-ignored"],
};

/** One charge of embeddings, whose title says so: their limit is not used up. */
const questionsOf = ({ kind, endpoint, title }: LimitPolicyResult): readonly string[] =>
  kind === "tokens" && endpoint === "embeddings" && title.endsWith("embeddings (charge only)")
    ? ["tokens.wrong-charge"]
    : (questions[kind] ?? []);

const phaseOf = ({ intent }: Exchange): string => (intent.kind === "limit" ? intent.phase : intent.kind);

/** Of policies that pass, the core questions that stand open. */
function openBehindPass(record: SwitchRecord): readonly string[] {
  return judgeLimits({ ...record, strict: false }).result.policies.flatMap((policy) =>
    policy.verdict !== "pass"
      ? []
      : questionsOf(policy)
          .filter((question) => policy.checks.every((check) => check.id !== question || check.verdict === "inconclusive"))
          .map((question) => `${policy.id} ${question}`),
  );
}

const areas: readonly LimitArea[] = isWhole ? limitAreas : ["spend", "tokens"];

describe("a policy passes only where each of its core questions was judged", () => {
  it.each(areas)("%s, whichever phase of the exam is missing", async (area) => {
    const whole = await recordSwitch(area, null);
    const phases = [...new Set(whole.exchanges.map(phaseOf))];
    const open = phases.flatMap((phase) =>
      openBehindPass({ ...whole, exchanges: whole.exchanges.filter((exchange) => phaseOf(exchange) !== phase) }),
    );
    expect(open).toEqual([]);
    const { policies } = judgeLimits({ ...whole, strict: false }).result;
    expect(policies.filter(({ verdict }) => verdict === "pass")).not.toEqual([]);
  });
});

describe("the spend exam", () => {
  it("reads usage with no key whose cap it sets", async () => {
    const { exchanges } = await recordSwitch("spend", null);
    const capped = new Set(
      exchanges.flatMap(
        ({ intent }) => /^change settings of key:(.+)$/.exec("purpose" in intent ? intent.purpose : "")?.[1] ?? [],
      ),
    );
    const readers = exchanges.filter(({ endpoint }) => endpoint === "usage").map(({ keyName }) => keyName ?? "");
    expect([capped.size > 0, readers.length > 0]).toEqual([true, true]);
    expect(readers.filter((name) => capped.has(name))).toEqual([]);
  });
});
