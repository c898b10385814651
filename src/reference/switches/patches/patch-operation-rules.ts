import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import { hashString } from "../../../core/random.ts";
import { asksForStream, type SeenCall } from "../../http/seen-call.ts";
import { lawfulOperationRules, type OperationRules } from "../../http/operation-rules.ts";
import type { Switchboard } from "../switch.ts";
import { countPromptTokens, countTokens } from "../../content/tokenizer.ts";
import type { ChatInput } from "../../http/endpoints/chat-input.ts";
import type { EmbeddingsInput } from "../../http/endpoints/embeddings.ts";
import type { Ticket } from "../../engine/admission.ts";
import { createMeeting } from "../meeting.ts";

/** Services that implement the specification in part. */
const notImplemented: Readonly<Partial<Record<EndpointId, string>>> = {
  chat: "chat/not-implemented",
  embeddings: "embeddings/not-implemented",
  images: "images/not-implemented",
  transcriptions: "audio/not-implemented",
  usage: "usage/not-implemented",
  "key-settings": "settings/not-implemented",
  "account-settings": "settings/not-implemented",
};

/** Time that an answer takes which is made to its end although nobody reads it. */
const unreadAnswerMs = 30_000;

export function patchOperationRules(switches: Switchboard): OperationRules {
  const lawful = lawfulOperationRules;
  const slots = createKeptSlots(8, Number.POSITIVE_INFINITY);
  const streamSlots = createKeptSlots(4, Number.POSITIVE_INFINITY);
  const busySlots = createKeptSlots(4, unreadAnswerMs);
  /** The request that came last, for the defect `headers/of-the-latest`. */
  let latest: Ticket | null = null;
  const meet = createMeeting();
  /** Requests by connection, for the defect `transport/tenth-request-reset`. */
  const requestsOf = new WeakMap<object, number>();
  return {
    ...lawful,
    readsBeforeRefusing: (endpoint) =>
      (switches.on("auth/request-read-first") && !endpoint.endsWith("-settings")) || lawful.readsBeforeRefusing(endpoint),
    createdKey: (nextId) =>
      switches.on("auth/keys-creatable") ? { id: nextId("key_"), object: "key" } : lawful.createdKey(nextId),
    isImplemented: (endpoint) => !switches.on(notImplemented[endpoint] ?? "") && lawful.isImplemented(endpoint),
    fault: (call) => {
      const { endpoint } = call;
      if (switches.on("transport/tenth-request-reset")) {
        const { socket } = call.incoming;
        const count = (requestsOf.get(socket) ?? 0) + 1;
        requestsOf.set(socket, count);
        if (count === 10) return { cut: "reset-before-headers" };
      }
      if (asksForStream(call)) {
        if (switches.on("stream/left-slots") && streamSlots.areTaken(call)) return { status: 503 };
        if (switches.on("stream/left-answers-made") && busySlots.areTaken(call)) return { status: 503, retryAfterSeconds: 30 };
      }
      if (switches.on("tokens/left-slots") && slots.areTaken(call)) return { status: 503, retryAfterSeconds: 1 };
      if (switches.on("transport/streams-cut") && asksForStream(call)) return { cut: "close-mid-stream" };
      if (switches.on("transport/transcriptions-reset") && endpoint === "transcriptions") return { cut: "reset-before-headers" };
      if (switches.on("transport/images-fail") && endpoint === "images") return { status: 500 };
      return lawful.fault(call);
    },
    serving: async (call, ticket, serve) => {
      const isOfLatest = switches.on("headers/of-the-latest") && (call.endpoint === "chat" || call.endpoint === "embeddings");
      if (isOfLatest) {
        latest = ticket;
        await meet();
      }
      const shown = (isOfLatest ? latest : null) ?? ticket;
      const watching = [
        ["tokens/left-slots", slots],
        ["stream/left-slots", streamSlots],
        ["stream/left-answers-made", busySlots],
      ] as const;
      const own = watching.reduce((each, [id, kept]) => (switches.on(id) ? kept.watch(call, each) : each), ticket);
      await lawful.serving(call, { ...own, rateHeaders: () => shown.rateHeaders() }, serve);
    },
    input: (input, call) => lawful.input(countLess(switches, input, call), call),
    // Up to 200 ms, the same for the same request id.
    idleMs: (requestId) => (switches.on("transport/latency-jitter") ? hashString(requestId) % 200 : lawful.idleMs(requestId)),
  };
}

/** The input of a request of which only a part is counted as its prompt. */
function countLess<Input>(switches: Switchboard, input: Input, { endpoint }: SeenCall): Input {
  if (endpoint === "chat" && switches.on("chat/last-message-counted")) {
    const chat = input as ChatInput;
    const prompt = countPromptTokens(chat.request.messages.slice(-1));
    const { completion_tokens: completion } = chat.usage;
    const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
    return { ...input, usage };
  }
  if (endpoint === "embeddings" && switches.on("embeddings/first-text-counted")) {
    const { texts } = input as EmbeddingsInput;
    return { ...input, tokens: countTokens(texts[0] ?? "") };
  }
  return input;
}

/** Places of each key that clients took with them when they left. */
interface KeptSlots {
  areTaken(call: SeenCall): boolean;
  watch(call: SeenCall, ticket: Ticket): Ticket;
}

/** `places` of a key, each of which a client that left keeps for `keptMs`. */
function createKeptSlots(places: number, keptMs: number): KeptSlots {
  const kept = new Map<string, readonly number[]>();
  const untilOf = ({ key, service }: SeenCall): readonly number[] => {
    const nowMs = service.engine.clock.wallMs();
    return (kept.get(key?.name ?? "") ?? []).filter((untilMs) => untilMs > nowMs);
  };
  return {
    areTaken: (call) => call.endpoint === "chat" && untilOf(call).length >= places,
    watch: (call, ticket) => ({
      ...ticket,
      settle: (outcome) => {
        const untilMs = call.service.engine.clock.wallMs() + keptMs;
        if (outcome.ended === "aborted") kept.set(call.key?.name ?? "", [...untilOf(call), untilMs]);
        ticket.settle(outcome);
      },
    }),
  };
}
