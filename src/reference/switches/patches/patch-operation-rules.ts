import { setTimeout as delay } from "node:timers/promises";
import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import { hashString } from "../../../core/random.ts";
import { asksForStream } from "../../http/seen-call.ts";
import { lawfulOperationRules, type OperationRules } from "../../http/operation-rules.ts";
import type { Switchboard } from "../switch.ts";
import { countLess } from "./count-less.ts";
import type { Ticket } from "../../engine/admission.ts";
import { meetingMs } from "../broken/operators/crowd.ts";
import { createKeptSlots } from "./kept-slots.ts";

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

const shownByLeaving = ["tokens/left-slots", "tokens/left-uncounted"];

export function patchOperationRules(switches: Switchboard): OperationRules {
  const lawful = lawfulOperationRules;
  const slots = createKeptSlots();
  /** The request that came last, for the defect `headers/of-the-latest`. */
  let latest: Ticket | null = null;
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
      if (switches.on("tokens/left-slots") && slots.areTaken(call)) return { status: 503, retryAfterSeconds: 1 };
      // Clients leave while tokens are still to come.
      if (shownByLeaving.some((id) => switches.on(id)) && asksForStream(call)) return { delayBetweenTokensMs: 20 };
      if (switches.on("transport/streams-cut") && asksForStream(call)) return { cut: "close-mid-stream" };
      if (switches.on("transport/transcriptions-reset") && endpoint === "transcriptions") return { cut: "reset-before-headers" };
      if (switches.on("transport/images-fail") && endpoint === "images") return { status: 500 };
      return lawful.fault(call);
    },
    serving: async (call, ticket, serve) => {
      const isOfLatest = switches.on("headers/of-the-latest") && (call.endpoint === "chat" || call.endpoint === "embeddings");
      if (isOfLatest) {
        latest = ticket;
        await delay(meetingMs);
      }
      const shown = (isOfLatest ? latest : null) ?? ticket;
      const own = switches.on("tokens/left-slots") ? slots.watch(call, ticket) : ticket;
      await lawful.serving(call, { ...own, rateHeaders: () => shown.rateHeaders() }, serve);
    },
    input: (input, call) => lawful.input(countLess(switches, input, call), call),
    // Up to 200 ms, the same for the same request id.
    idleMs: (requestId) => (switches.on("transport/latency-jitter") ? hashString(requestId) % 200 : lawful.idleMs(requestId)),
  };
}
