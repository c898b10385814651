import { countPromptTokens } from "../../content/tokenizer.ts";
import { decideAnswer, type AnswerRequest } from "../../content/answer.ts";
import type { Ticket } from "../../engine/admission.ts";
import type { Pace } from "../../engine/latency/latency-model.ts";
import { chatCostMicros } from "../../engine/spend/prices.ts";
import type { Call } from "../call.ts";
import { chatCompletion, completionFacts } from "./chat-completion.ts";
import type { ChatInput, ChatRequest } from "./chat-input.ts";
import { streamAnswer } from "./chat-stream.ts";
import type { Operation, Read } from "../operation.ts";
import { invalidField } from "../problem.ts";
import { readJson, readModel } from "../read-body.ts";
import { respondJson } from "../respond.ts";
import { runJob } from "../run-job.ts";
import { serverTimingHeader } from "../server-timing.ts";

export const chat: Operation<ChatInput> = {
  endpoint: "chat",
  read: readChat,
  work: ({ usage, streaming, request }) => ({
    streaming,
    promptTokens: usage.prompt_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    maxCompletionTokens: usage.completion_tokens,
    requestedMaxTokens: request.max_tokens ?? null,
    maxCostMicros: chatCostMicros(usage.prompt_tokens, usage.completion_tokens),
  }),
  serve: async (call, input, ticket) => {
    const { usage, streaming } = input;
    const job = { kind: "tokens", promptTokens: usage.prompt_tokens, completionTokens: usage.completion_tokens } as const;
    await runJob(call, ticket, job, (pace) => (streaming ? streamAnswer : completeAnswer)(call, input, ticket, pace));
  },
};

function readChat(call: Call): Read<ChatInput> {
  const read = readJson<ChatRequest>(call, "chat");
  if (read.kind === "refused") return read;
  const request = read.input;
  const model = readModel(call, request.model, "chat");
  if (model.kind === "refused") return model;
  const { seams, seed } = call.service;
  if (depthExceeds(request.tools, toolDepthAtMost)) {
    return {
      kind: "refused",
      problem: invalidField("tools", `array of tool definitions, at most ${toolDepthAtMost} levels deep`),
    };
  }
  const tools = Array.isArray(request.tools) ? request.tools : [];
  if (request.stream === true && !seams.stream.mayStream()) return { kind: "refused", problem: invalidField("stream", "false") };
  const answer = decideAnswer(seed, answerRequest(call, { ...request, tools }));
  const promptTokens = countPromptTokens(request.messages, tools);
  // Content tokens, or the name and the argument pieces of each tool call.
  const completionTokens = answer.toolCalls.reduce((sum, call) => sum + call.argumentPieces.length, answer.tokens.length);
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...seams.completion.promptDetails(request.messages),
  };
  return { kind: "read", input: { request, answer, usage, streaming: seams.stream.isStreamed(request.stream) } };
}

const toolDepthAtMost = 100;

/** Whether arrays and objects are nested deeper than that; without recursion, because that is what deep nesting attacks. */
function depthExceeds(value: unknown, limit: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return false;
}

/** The request as the generator sees it. */
function answerRequest(call: Call, request: ChatRequest): AnswerRequest {
  const { max_tokens: asked, ...unlimited } = request;
  const limit = asked === undefined ? undefined : call.service.seams.completion.tokensAtMost(asked);
  return limit === undefined ? unlimited : { ...unlimited, max_tokens: limit };
}

async function completeAnswer(call: Call, input: ChatInput, ticket: Ticket, pace: Pace): Promise<void> {
  const { service } = call;
  const { clock } = service.engine;
  const { usage } = input;
  const settle = (ended: "completed" | "aborted", completionTokens: number): void => {
    const { prompt_tokens: promptTokens } = usage;
    ticket.settle({ ended, promptTokens, completionTokens, costMicros: chatCostMicros(promptTokens, completionTokens) });
  };
  try {
    await clock.sleepUntil(pace.endAtMs(), call.signal());
  } catch {
    return settle("aborted", Math.min(pace.producedBy(clock.wallMs()), usage.completion_tokens));
  }
  settle("completed", usage.completion_tokens);
  const body = chatCompletion(completionFacts(service, input), service.seams.completion);
  respondJson(call, 200, body, ticket.rateHeaders(), serverTimingHeader(call, pace));
}
