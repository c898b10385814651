import type { Exchange } from "../core/exchange.ts";
import type { Case, CaseTools } from "./case.ts";
import { describeAnswer, isSuccess, mediaTypeOf, statusOf } from "./exchange-view.ts";

/** Why the run stopped before its cases: there is nothing to judge. */
export interface TargetRefusal {
  readonly kind: "unreachable" | "key-refused" | "no-api" | "failing";
  readonly reason: string;
}

/** Precondition of the whole run (AUTH-001): something answers, and it accepts the primary key. */
export const targetCheck: Case = {
  id: "core/target-check",
  suite: "core",
  title: "The target answers and accepts the primary key",
  covers: ["AUTH-001"],
  needs: [{ kind: "key", name: "primary" }],
  cost: { requests: { models: 1, chat: 1 }, tokens: 32 },
  run: async (tools) => {
    await sendTargetChecks(tools);
  },
};

async function sendTargetChecks(tools: CaseTools): Promise<readonly Exchange[]> {
  const models = await tools.send({ endpoint: "models", label: "models" });
  if (isSuccess(models) || models.response === null || statusOf(models) === 401) return [models];
  const model = tools.manifest.models.chat;
  if (model === null) return [models];
  const value = { model, messages: [{ role: "user", content: "Say hello." }], max_tokens: 16 };
  return [models, await tools.send({ endpoint: "chat", label: "chat", body: { kind: "json", value } })];
}

/** Sends the check and tells why nothing can be judged; null when the run may go on. */
export async function checkTarget(tools: CaseTools): Promise<TargetRefusal | null> {
  const exchanges = await sendTargetChecks(tools);
  const answered = exchanges.filter((exchange) => exchange.response !== null);
  if (answered.length > 0 && answered.every(isHtml)) {
    const seen = answered.map((exchange) => `${exchange.request.path} with ${statusOf(exchange)}`).join(", ");
    return {
      kind: "no-api",
      reason: `no inference API below this base URL: it answers ${seen} and an HTML page; is the base URL right?`,
    };
  }
  if (exchanges.some(isSuccess)) return null;
  const [first] = exchanges;
  if (answered.length === 0) {
    return { kind: "unreachable", reason: `the target does not answer: ${first?.failure?.message ?? "no response"}` };
  }
  const refused = answered.find((exchange) => statusOf(exchange) === 401 || statusOf(exchange) === 403);
  if (refused !== undefined) {
    return {
      kind: "key-refused",
      reason: `the target refuses the primary key: ${describeAnswer(refused)} to ${refused.request.path}`,
    };
  }
  if (answered.every((exchange) => statusOf(exchange) === 404 || statusOf(exchange) === 405)) {
    return {
      kind: "no-api",
      reason: `no inference API below this base URL: ${answered.map((exchange) => `${exchange.request.path} is answered ${statusOf(exchange)}`).join(", ")}; is the base URL right?`,
    };
  }
  if (answered.every((exchange) => (statusOf(exchange) ?? 0) >= 500)) {
    return { kind: "failing", reason: `the target fails on valid requests: ${answered.map(describeAnswer).join(", ")}` };
  }
  return null;
}

function isHtml({ response }: Exchange): boolean {
  return response !== null && mediaTypeOf(response) === "text/html";
}
