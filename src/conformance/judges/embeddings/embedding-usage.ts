import { isValidRequest } from "../../judging/is-valid-request.ts";
import type { ExchangeJudge } from "../../judging/judge.ts";
import { isJsonObject, showValue } from "../../judging/json-value.ts";

/** Usage adds up (AMB-29), and the model is the requested one (AMB-42: an alias is an advisory). */
export const embeddingUsage: ExchangeJudge = {
  scope: "exchange",
  id: "embedding-usage",
  covers: ["EMB-027", "EMB-029", "EMB-030"],
  conclusive: true,
  concerns: ({ endpoint, status }) => endpoint === "embeddings" && status < 300,
  judge(exchange, outcomes) {
    const body = exchange.responseObject;
    if (!isValidRequest(exchange, "embeddings") || !exchange.isSuccess || body === null) return;
    const { model, usage } = body;
    const requested = exchange.requestObject?.["model"];
    if (typeof model === "string" && model !== "" && typeof requested === "string" && model !== requested) {
      outcomes.advisory("EMB-027", {
        kind: "the answer names another model than the request",
        expected: showValue(requested),
        observed: showValue(model),
      });
    }
    if (!isJsonObject(usage)) {
      outcomes.fail("EMB-029", {
        kind: "without usage there is no total number of tokens",
        expected: "usage.total_tokens",
        observed: usage === undefined ? "no usage" : showValue(usage),
      });
      return;
    }
    const { prompt_tokens: prompt, total_tokens: total } = usage;
    if (typeof prompt !== "number" || typeof total !== "number") return;
    outcomes.passOrFail("EMB-030", prompt === total, () => ({
      kind: "the total number of tokens differs from the prompt tokens although nothing else is counted",
      expected: `total_tokens ${prompt}`,
      observed: `total_tokens ${total}`,
    }));
  },
};
