import { expect, it } from "vitest";
import type { LimitOp, OpOf } from "../../../src/limits/history/op.ts";
import { readOp } from "../../../src/limits/history/history.ts";
import { countSpentCents } from "../../../src/limits/exam/judge-limits.ts";
import { serveRequests } from "../simulation/request-service.ts";
import { createSimulation } from "../simulation/simulator.ts";

it("counts purchases by their price and the tokens of all other requests of the exam", async () => {
  const { sender } = createSimulation(
    1,
    serveRequests((context, _group, decide) =>
      decide({ admitted: true, limit: 9, remaining: 8, resetMs: context.now() + 1000, retryMs: 0 }),
    ),
  );
  const exchange = await sender.send({
    stage: "limits",
    caseId: "limits/tokens",
    label: "one",
    intent: { kind: "limit", policy: "tokens", phase: "reading" },
    endpoint: "models",
    method: "GET",
    path: "/v1/models",
    credential: { kind: "bearer", key: "primary" },
  });
  const base = readOp(exchange)!;
  const chat: LimitOp = { ...base, promptTokens: 1000, completionTokens: 500 };
  const purchase: OpOf<"spend"> = { ...base, seq: 2, policy: "spend", phase: "price", promptTokens: 7 };
  const prices = { perMillionPromptTokens: 10, perMillionCompletionTokens: 40 };
  // 1,000 at 10 and 500 at 40 dollars a million are three cents.
  expect(countSpentCents([chat], null, prices)).toBeCloseTo(3, 9);
  expect(countSpentCents([chat, purchase], { purchases: [purchase], priceCents: 12 }, prices)).toBeCloseTo(15, 9);
  expect(
    countSpentCents(
      [
        { ...chat, outcome: "rejected" },
        { ...chat, policy: "" },
      ],
      null,
      prices,
    ),
  ).toBe(0);
});
