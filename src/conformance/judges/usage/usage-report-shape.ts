import { isDescribedSuccess } from "../../judging/subjects.ts";
import type { ExchangeJudge } from "../../judging/judge.ts";
import { createSchemaJudge } from "../../judging/schema-judge.ts";

const count = "an integer, not negative";
const money = "a number of US dollars, not negative";

export const usageReportShape: ExchangeJudge = createSchemaJudge({
  id: "usage-report-shape",
  endpoint: "usage",
  schema: (exchange) => (exchange.endpoint === "usage" && isDescribedSuccess(exchange) ? "usage-report.response" : null),
  whole: "USG-001",
  rules: [
    { requirement: "USG-014", path: "/object", expected: 'the constant "list"' },
    { requirement: "USG-015", path: "/data", expected: "an array of buckets" },
    { requirement: "USG-015", path: "/data/*", expected: "an object for each bucket" },
    { requirement: "USG-016", path: "/data/*/timestamp", expected: "an ISO 8601 string" },
    { requirement: "USG-020", path: "/data/*/prompt_tokens", expected: count },
    { requirement: "USG-021", path: "/data/*/completion_tokens", expected: count },
    { requirement: "USG-022", path: "/data/*/total_tokens", expected: count },
    { requirement: "USG-023", path: "/data/*/cost_usd", expected: money },
    { requirement: "USG-025", path: "/aggregate", expected: "an object" },
    { requirement: "USG-026", path: "/aggregate/total_tokens", expected: count },
    { requirement: "USG-027", path: "/aggregate/total_cost_usd", expected: money },
  ],
});
