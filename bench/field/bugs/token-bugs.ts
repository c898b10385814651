import type { FieldUsage } from "../engine/field-call.ts";
import { lawfulRules } from "../engine/field-rules.ts";
import type { FieldBug } from "../field-bug.ts";

const total = ({ prompt, completion }: FieldUsage): number => prompt + completion;

const leaking = (places: number): Pick<FieldBug, "broken" | "mended"> => ({
  broken: () => ({ places, keepsPlace: (end) => end === "left" }),
  mended: () => ({ places }),
});

/** Limiters of tokens, and requests whose clients leave. */
export const tokenBugs: readonly FieldBug[] = [
  {
    reference: "BerriAI/litellm#34140",
    says: "requests and tokens of a model are each counted twice",
    stage: "limits",
    broken: () => ({ weight: () => 2, chargeAtEnd: (_call, usage) => 2 * total(usage) }),
  },
  {
    reference: "envoyproxy/ai-gateway#2248",
    says: "an answer that is not streamed is charged one token",
    stage: "limits",
    broken: () => ({ chargeAtEnd: ({ streams }, usage) => (streams ? total(usage) : 1) }),
  },
  {
    reference: "envoyproxy/ai-gateway#1754",
    says: "remaining tokens never fall",
    stage: "limits",
    broken: () => ({ limitFields: (fields) => ({ ...fields, "x-ratelimit-remaining-tokens": "4000" }) }),
  },
  {
    reference: "BerriAI/litellm#11646",
    says: "each request is charged one token",
    stage: "limits",
    broken: () => ({ chargeAtEnd: () => 1 }),
  },
  {
    reference: "theam/facility#232",
    says: "the usage of streams is read as zero: they are charged nothing",
    stage: "limits",
    broken: () => ({ chargeAtEnd: ({ streams }, usage) => (streams ? 0 : total(usage)) }),
  },
  {
    reference: "PostHog/posthog#45116",
    says: "tokens that are held for a stream are never given back",
    stage: "limits",
    broken: () => ({
      chargeAtStart: (call, usage) => usage.prompt + Number(call.body["max_tokens"] ?? usage.completion),
      chargeAtEnd: (call, usage) => (call.streams ? 0 : usage.completion - Number(call.body["max_tokens"] ?? usage.completion)),
    }),
    mended: () => ({
      chargeAtStart: (call, usage) => usage.prompt + Number(call.body["max_tokens"] ?? usage.completion),
      chargeAtEnd: (call, usage) => usage.completion - Number(call.body["max_tokens"] ?? usage.completion),
    }),
  },
  {
    reference: "BerriAI/litellm#14457",
    says: "a stream that its client leaves is charged nothing",
    stage: "limits",
    broken: () => ({ chargeAtEnd: (_call, usage, end) => (end === "left" ? 0 : total(usage)) }),
  },
  { reference: "BerriAI/litellm#27955", says: "a client that leaves keeps one of eight places", stage: "limits", ...leaking(8) },
  {
    reference: "ROCm/FastFlowLM#680",
    says: "after ten clients have left nothing is served any more, whoever asks",
    stage: "limits",
    broken: () => {
      let left = 0;
      return {
        chargeAtEnd: (call, usage, end) => {
          if (end === "left") left += 1;
          return lawfulRules.chargeAtEnd(call, usage, end);
        },
        before: () =>
          left < 10 ? null : { status: 503, headers: {}, body: { error: { code: "overloaded", message: "no place is left" } } },
      };
    },
  },
  { reference: "Tr3kkR/Yuzu#2740", says: "four streams that break off lock a session out", stage: "limits", ...leaking(4) },
];
