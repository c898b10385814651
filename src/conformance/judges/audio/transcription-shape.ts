import { isDescribedSuccess } from "../../exchange-view.ts";
import type { ExchangeJudge } from "../../judge.ts";
import { createSchemaJudge } from "../../schema-judge.ts";

export const transcriptionShape: ExchangeJudge = createSchemaJudge({
  id: "transcription-shape",
  endpoint: "transcriptions",
  schema: (exchange) =>
    exchange.endpoint === "transcriptions" && isDescribedSuccess(exchange) ? "transcription.response" : null,
  whole: "AUD-019",
  rules: [{ requirement: "AUD-018", path: "/text", expected: "a string" }],
});
