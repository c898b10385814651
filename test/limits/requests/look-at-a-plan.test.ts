import { expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { judgeLimits } from "../../../src/limits/exam/judge-limits.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { simulatedManifest } from "../simulation/exam.ts";

const headers = ["requests", "tokens"].flatMap((unit): readonly (readonly [string, string])[] => [
  [`x-ratelimit-limit-${unit}`, "600"],
  [`x-ratelimit-remaining-${unit}`, "500"],
  [`x-ratelimit-reset-${unit}`, "4000000000"],
]);

it("a key whose limit an exam only looks at is not examined, however much other stages sent with it", () => {
  const passing = Array.from({ length: 45 }, (_, index) => makeExchange({ seq: index + 1, headers }));
  const look: Exchange = {
    ...makeExchange({ seq: 46, headers, intent: { kind: "limit", policy: "requests", phase: "plan" } }),
    stage: "limits",
  };
  const { result } = judgeLimits({ exchanges: [...passing, look], manifest: simulatedManifest(600), strict: false });
  expect(result.policies.map(({ id, drivenBy }) => [id, drivenBy])).toEqual([["requests/primary/models", "passing"]]);
});
