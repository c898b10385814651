import { isDescribedSuccess } from "../../judging/subjects.ts";
import type { ExchangeJudge } from "../../judging/judge.ts";
import { createSchemaJudge } from "../../judging/schema-judge.ts";

export const modelListShape: ExchangeJudge = createSchemaJudge({
  id: "model-list-shape",
  endpoint: "models",
  schema: (exchange) => (exchange.endpoint === "models" && isDescribedSuccess(exchange) ? "model-list.response" : null),
  whole: "MOD-001",
  rules: [
    { requirement: "MOD-002", path: "/object", expected: 'the constant "list"' },
    { requirement: "MOD-003", path: "/data", expected: "an array of models" },
    { requirement: "MOD-003", path: "/data/*", expected: "an object for each model" },
    { requirement: "MOD-004", path: "/data/*/id", expected: "a string that is not empty" },
    { requirement: "MOD-005", path: "/data/*/object", expected: 'the constant "model"' },
    { requirement: "MOD-006", path: "/data/*/created", expected: "an integer, Unix seconds" },
    { requirement: "MOD-007", path: "/data/*/owned_by", expected: "a string" },
  ],
});
