import { isSuccess, isValidRequest, requestObject, responseObject } from "../../judging/exchange-view.ts";
import { createGlancedLists, nothingGlanced } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { isJsonObject, showValue } from "../../judging/json-value.ts";

const glanced = createGlancedLists(["EMB-030"]);

/** Usage adds up (AMB-29), and the model is the requested one (AMB-42: an alias is an advisory). */
export const embeddingUsage: ExchangeJudge = {
  scope: "exchange",
  id: "embedding-usage",
  covers: ["EMB-027", "EMB-029", "EMB-030"],
  conclusive: true,
  concerns: ({ endpoint, status }) => endpoint === "embeddings" && status < 300,
  glance(exchange) {
    if (!isValidRequest(exchange, "embeddings") || !isSuccess(exchange)) return nothingGlanced;
    const body = responseObject(exchange);
    if (body === null) return nothingGlanced;
    const { model, usage } = body;
    if (!isJsonObject(usage) || model !== requestObject(exchange)?.["model"]) return null;
    const { prompt_tokens: prompt, total_tokens: total } = usage;
    if (typeof prompt !== "number" || typeof total !== "number") return nothingGlanced;
    return prompt === total ? glanced(1) : null;
  },
  *judge(exchange): Iterable<Occurrence> {
    if (!isValidRequest(exchange, "embeddings") || !isSuccess(exchange)) return;
    const body = responseObject(exchange);
    const requested = requestObject(exchange)?.["model"];
    const model = body?.["model"];
    if (typeof model === "string" && model !== "" && typeof requested === "string" && model !== requested) {
      yield {
        requirement: "EMB-027",
        outcome: "advisory",
        exchanges: [exchange.seq],
        message: "the answer names another model than the request",
        expected: showValue(requested),
        observed: showValue(model),
      };
    }
    const usage = body?.["usage"];
    if (!isJsonObject(usage)) {
      if (body === null) return;
      yield {
        requirement: "EMB-029",
        outcome: "fail",
        exchanges: [exchange.seq],
        message: "without usage there is no total number of tokens",
        expected: "usage.total_tokens",
        observed: usage === undefined ? "no usage" : showValue(usage),
      };
      return;
    }
    const { prompt_tokens: prompt, total_tokens: total } = usage;
    if (typeof prompt !== "number" || typeof total !== "number") return;
    const subject = { requirement: "EMB-030", exchanges: [exchange.seq] };
    yield prompt === total
      ? { ...subject, outcome: "pass" }
      : {
          ...subject,
          outcome: "fail",
          message: "the total number of tokens differs from the prompt tokens although nothing else is counted",
          expected: `total_tokens ${prompt}`,
          observed: `total_tokens ${total}`,
        };
  },
};
