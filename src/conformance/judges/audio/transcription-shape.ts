import { isDescribedSuccess } from "../../judging/subjects.ts";
import type { ExchangeJudge } from "../../judging/judge.ts";
import { createSchemaJudge } from "../../judging/schema-judge.ts";

export const transcriptionShape: ExchangeJudge = createSchemaJudge({
  id: "transcription-shape",
  endpoint: "transcriptions",
  schema: (exchange) =>
    exchange.endpoint === "transcriptions" && isDescribedSuccess(exchange) ? "transcription.response" : null,
  whole: "AUD-019",
  rules: [{ requirement: "AUD-018", path: "/text", expected: "a string" }],
});
