import { lawfulCompletionShape, type Completion, type CompletionShape } from "../../http/endpoints/completion-shape.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";

export function patchCompletionShape(switches: Switchboard): CompletionShape {
  const lawful = lawfulCompletionShape;
  const message = firstChange(switches, lawful.message, {
    "chat/content-null": (message) => ({ ...message, content: null }),
    "chat/content-parts": (message) => ({ ...message, content: [{ type: "text", text: message.content }] }),
    "chat/content-absent": () => ({ role: "assistant" }),
    "chat/message-role-model": (message) => ({ ...message, role: "model" }),
  });
  return {
    tokensAtMost: firstChange(switches, lawful.tokensAtMost, {
      "chat/max-tokens-ignored": () => undefined,
      "chat/max-tokens-off-by-one": (asked) => Math.max(1, asked) + 1,
    }),
    argumentsText: firstChange(switches, lawful.argumentsText, {
      "chat/tool-arguments-broken": (text) => text.replaceAll('"', "'"),
    }),
    calledTool: firstChange(switches, lawful.calledTool, {
      "chat/tool-arguments-object": (call) => ({
        ...call,
        function: { ...call.function, arguments: JSON.parse(call.function.arguments) as unknown },
      }),
      "chat/tool-id-absent": ({ id: _id, ...rest }) => rest,
    }),
    message: (plain) =>
      message(plain.tool_calls !== undefined && switches.on("chat/tool-content-empty") ? { ...plain, content: "" } : plain),
    finishReason: firstChange(switches, lawful.finishReason, {
      "chat/finish-reason-null": () => null,
      "chat/finish-reason-empty": () => "",
      "stream/length-as-stop": (reason) => (reason === "length" ? "stop" : reason),
      "stream/tool-calls-as-stop": (reason) => (reason === "tool_calls" ? "stop" : reason),
      "chat/unknown-finish-reason": (reason) => (reason === "stop" ? "end_turn" : reason),
    }),
    usage: firstChange(switches, lawful.usage, {
      "chat/usage-null": () => null,
      "chat/usage-prompt-text": (usage) => ({ ...usage, prompt_tokens: String(usage.prompt_tokens) }),
      "chat/usage-completion-null": (usage) => ({ ...usage, completion_tokens: null }),
      "chat/usage-completion-fraction": (usage) => ({ ...usage, completion_tokens: usage.completion_tokens + 0.5 }),
      "chat/usage-completion-negative": (usage) => ({ ...usage, completion_tokens: -usage.completion_tokens }),
      "chat/usage-total-absent": ({ total_tokens: _total, ...rest }) => rest,
      "chat/usage-total-wrong": (usage) => ({ ...usage, total_tokens: usage.total_tokens + 1 }),
      "chat/usage-completion-in-prompt": ({ total_tokens: total }) => ({
        prompt_tokens: total,
        completion_tokens: 0,
        total_tokens: total,
      }),
      "chat/usage-kinds-exchanged": ({ prompt_tokens: prompt, completion_tokens: completion, total_tokens: total }) => ({
        prompt_tokens: completion,
        completion_tokens: prompt,
        total_tokens: total,
      }),
      "chat/usage-prompt-constant": (usage) => ({ ...usage, prompt_tokens: 1000 - usage.prompt_tokens }),
    }),
    promptDetails: firstChange(switches, lawful.promptDetails, {
      "tokens/cached-free": prefixCache(),
      "tokens/cached-twice": prefixCache(),
    }),
    completion: firstChange(switches, lawful.completion, {
      "chat/bare-text": () => ({ text: "Hello" }),
      "chat/id-absent": ({ id: _id, ...rest }) => rest,
      "chat/id-repeated": (body) => ({ ...body, id: "chatcmpl-1" }),
      "chat/object-wrong": (body) => ({ ...body, object: "text_completion" }),
      "chat/created-text": (body) => ({ ...body, created: new Date(body.created * 1000).toISOString() }),
      "chat/created-fraction": (body) => ({ ...body, created: body.created + 0.25 }),
      "chat/created-ms": (body) => ({ ...body, created: body.created * 1000 }),
      "chat/created-zero": (body) => ({ ...body, created: 0 }),
      "chat/model-absent": ({ model: _model, ...rest }) => rest,
      "chat/usage-absent": ({ usage: _usage, ...rest }) => rest,
      "chat/choices-object": (body) => ({ ...body, choices: { 0: body.choices[0] } }),
      "chat/choices-empty": (body) => ({ ...body, choices: [] }),
      "chat/choice-index-text": (body) => withChoice(body, { ...body.choices[0], index: "0" }),
      "chat/choice-index-from-one": (body) => withChoice(body, { ...body.choices[0], index: 1 }),
      "chat/choice-text": (body) => withChoice(body, { index: 0, text: "Hello", finish_reason: "stop" }),
      "chat/finish-reason-absent": (body) => withChoice(body, { index: 0, message: body.choices[0].message }),
      "chat/model-other": (body) => ({ ...body, model: "unheard-of" }),
    }),
  };
}

function withChoice(body: Completion, choice: object): object {
  return { ...body, choices: [choice] };
}

/** Prompts that the cache holds, and words in one of its blocks: it holds whole ones. */
const promptsHeld = 64;
const wordsOfBlock = 16;

/** A cache of the beginnings of prompts; a word is a token at least. */
function prefixCache(): CompletionShape["promptDetails"] {
  const held: (readonly string[])[] = [];
  return (messages) => {
    const words = messages.flatMap(({ content }) => (content ?? "").split(" "));
    const longest = held.reduce((most, known) => Math.max(most, commonWords(known, words)), 0);
    held.push(words);
    if (held.length > promptsHeld) held.shift();
    return { prompt_tokens_details: { cached_tokens: longest - (longest % wordsOfBlock) } };
  };
}

function commonWords(one: readonly string[], other: readonly string[]): number {
  const differs = one.findIndex((word, index) => word !== other[index]);
  return differs < 0 ? one.length : differs;
}
