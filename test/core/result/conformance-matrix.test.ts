import { expect, it } from "vitest";
import { buildMatrix, conditionOf } from "../../../src/core/result/conformance-matrix.ts";
import { buildSample } from "../../make/sample-result/sample-result.ts";

const { evidence } = buildSample();
const [accepted, refused, limited, streamed] = [41, 42, 236, 700].map((seq) => {
  const found = evidence.find((exchange) => exchange.seq === seq);
  return found === undefined
    ? undefined
    : {
        ...found,
        response: found.response === null ? null : { ...found.response, status: seq === 236 ? 429 : found.response.status },
      };
});

it("names a cell by the answer that was seen", () => {
  expect([accepted, refused, limited, streamed].map((exchange) => exchange && conditionOf(exchange))).toEqual([
    "success",
    "other",
    "429",
    "stream",
  ]);
});

it("folds outcomes into cells, the worst first", () => {
  if (accepted === undefined || limited === undefined) throw new Error("the sample lacks an exchange");
  const cells = buildMatrix([
    { subject: accepted, requirement: "CHAT-001", outcome: "pass" },
    { subject: accepted, requirement: "CHAT-014", outcome: "fail" },
    { subject: { ...accepted, seq: 9 }, requirement: "CHAT-001", outcome: "advisory" },
    { subject: limited, requirement: "LIM-001", outcome: "observed" },
    { subject: { ...limited, endpoint: null }, requirement: "LIM-001", outcome: "fail" },
  ]);
  expect(cells).toEqual([
    {
      endpoint: "chat",
      condition: "success",
      verdict: "fail",
      exchanges: 2,
      requirements: 2,
      violated: ["CHAT-001", "CHAT-014"],
    },
    { endpoint: "models", condition: "429", verdict: "observed", exchanges: 1, requirements: 1, violated: [] },
  ]);
});
