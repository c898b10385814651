import type { Switchboard } from "../../defects/switch.ts";
import type { Answer } from "../../content/answer.ts";

export interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

export interface CompletionFacts {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly answer: Answer;
  readonly usage: ChatUsage;
}

type Members = Readonly<Record<string, unknown>>;

/** The Chat completion object. Optional parts are chosen by variants, wrong ones by mutants. */
export function chatCompletion(facts: CompletionFacts, switches: Switchboard): Members {
  const { answer } = facts;
  const message = answer.toolCalls.length === 0 ? textMessage(answer) : toolMessage(answer, switches);
  const body = {
    id: facts.id,
    object: "chat.completion",
    created: facts.created,
    model: facts.model,
    choices: [{ index: 0, message: messageDefects(message, switches), finish_reason: finishReason(answer, switches) }],
    usage: usageDefects(facts.usage, switches),
  };
  return choiceDefects(rootDefects(body, switches), switches);
}

function textMessage(answer: Answer): Members {
  return { role: "assistant", content: answer.tokens.join("") };
}

function toolMessage(answer: Answer, switches: Switchboard): Members {
  const calls = answer.toolCalls.map(({ id, name, argumentPieces }) => {
    const text = argumentPieces.join("");
    const broken = switches.on("chat/tool-arguments-broken") ? text.replaceAll('"', "'") : text;
    const called = { name, arguments: switches.on("chat/tool-arguments-object") ? (JSON.parse(text) as unknown) : broken };
    return switches.on("chat/tool-id-absent")
      ? { type: "function", function: called }
      : { id, type: "function", function: called };
  });
  return { role: "assistant", content: switches.on("chat/tool-content-empty") ? "" : null, tool_calls: calls };
}

/** `finish_reason` of a whole answer, streamed or not. */
export function finishReason(answer: Answer, switches: Switchboard): string | null {
  if (switches.on("chat/finish-reason-null")) return null;
  if (switches.on("chat/finish-reason-empty")) return "";
  if (switches.on("stream/length-as-stop") && answer.finishReason === "length") return "stop";
  if (switches.on("stream/tool-calls-as-stop") && answer.finishReason === "tool_calls") return "stop";
  if (switches.on("chat/unknown-finish-reason") && answer.finishReason === "stop") return "end_turn";
  return answer.finishReason;
}

function messageDefects(message: Members, switches: Switchboard): Members {
  if (switches.on("chat/content-null")) return { ...message, content: null };
  if (switches.on("chat/content-parts")) return { ...message, content: [{ type: "text", text: message["content"] }] };
  if (switches.on("chat/content-absent")) return { role: "assistant" };
  if (switches.on("chat/message-role-model")) return { ...message, role: "model" };
  return message;
}

export function usageDefects(usage: ChatUsage, switches: Switchboard): unknown {
  if (switches.on("chat/usage-null")) return null;
  if (switches.on("chat/usage-prompt-text")) return { ...usage, prompt_tokens: String(usage.prompt_tokens) };
  if (switches.on("chat/usage-completion-null")) return { ...usage, completion_tokens: null };
  if (switches.on("chat/usage-completion-fraction")) return { ...usage, completion_tokens: usage.completion_tokens + 0.5 };
  if (switches.on("chat/usage-completion-negative")) return { ...usage, completion_tokens: -usage.completion_tokens };
  if (switches.on("chat/usage-total-absent")) {
    return { prompt_tokens: usage.prompt_tokens, completion_tokens: usage.completion_tokens };
  }
  if (switches.on("chat/usage-total-wrong")) return { ...usage, total_tokens: usage.total_tokens + 1 };
  if (switches.on("chat/usage-prompt-constant")) return { ...usage, prompt_tokens: 1000 - usage.prompt_tokens };
  return usage;
}

function rootDefects(body: Members, switches: Switchboard): Members {
  const { id, usage, model, created, ...rest } = body as { id: string; usage: unknown; model: string; created: number } & Members;
  if (switches.on("chat/bare-text")) return { text: "Hello" };
  if (switches.on("chat/id-absent")) return { ...rest, created, model, usage };
  if (switches.on("chat/id-repeated")) return { ...body, id: "chatcmpl-1" };
  if (switches.on("chat/object-wrong")) return { ...body, object: "text_completion" };
  if (switches.on("chat/created-text")) return { ...body, created: new Date(created * 1000).toISOString() };
  if (switches.on("chat/created-fraction")) return { ...body, created: created + 0.25 };
  if (switches.on("chat/created-ms")) return { ...body, created: created * 1000 };
  if (switches.on("chat/created-zero")) return { ...body, created: 0 };
  if (switches.on("chat/model-absent")) return { ...rest, id, created, usage };
  if (switches.on("chat/model-other")) return { ...body, model: "unheard-of" };
  if (switches.on("chat/usage-absent")) return { ...rest, id, created, model };
  return body;
}

function choiceDefects(body: Members, switches: Switchboard): Members {
  if (body["choices"] === undefined) return body;
  const [choice] = body["choices"] as readonly Members[];
  if (switches.on("chat/choices-object")) return { ...body, choices: { 0: choice } };
  if (switches.on("chat/choices-empty")) return { ...body, choices: [] };
  if (switches.on("chat/choice-index-text")) return { ...body, choices: [{ ...choice, index: "0" }] };
  if (switches.on("chat/choice-index-from-one")) return { ...body, choices: [{ ...choice, index: 1 }] };
  if (switches.on("chat/choice-text")) return { ...body, choices: [{ index: 0, text: "Hello", finish_reason: "stop" }] };
  if (switches.on("chat/finish-reason-absent")) return { ...body, choices: [{ index: 0, message: choice?.["message"] }] };
  return body;
}
