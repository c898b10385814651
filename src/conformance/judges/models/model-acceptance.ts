import { createAcceptanceJudge } from "../../judging/acceptance-judge.ts";
import type { RunJudge } from "../../judging/judge.ts";

/** The bare request for the model list has to be accepted. */
export const modelAcceptance: RunJudge = createAcceptanceJudge({
  id: "model-acceptance",
  endpoint: "models",
  capability: "SVC-007",
  rows: [
    {
      requirement: "MOD-001",
      what: "the model list without body and query",
      when: (_body, exchange) => !exchange.request.path.includes("?") && exchange.request.body === null,
    },
  ],
});
