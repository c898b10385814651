import { gzipSync } from "node:zlib";
import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import { lawfulAnswerShape, type AnswerShape } from "../../http/answer-shape.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";
import { patchRateFields } from "./patch-rate-fields.ts";

const wrapping: Readonly<Partial<Record<EndpointId, string>>> = {
  chat: "chat/wrapped-in-array",
  embeddings: "embeddings/wrapped-in-array",
  images: "images/wrapped-in-array",
};

const invalidUtf8 = Buffer.from([0x20, 0xc3, 0x28]);

export function patchAnswerShape(switches: Switchboard): AnswerShape {
  const lawful = lawfulAnswerShape;
  let answers = 0;
  /** Two of five answers, in no order that a client has: which instance gets a request is chance. */
  const isOlder = (): boolean => Math.imul(answers, 2_654_435_761) >>> 0 < 0.4 * 2 ** 32;
  const byInstance = (list: readonly string[]): string[] => {
    const server = isOlder() ? "gateway/1.8" : "gateway/2.0";
    answers += 1;
    return [...list, "server", server];
  };
  return {
    body: (plain, facts) => {
      const body = lawful.body(plain, facts);
      const wrapper = facts.endpoint === null ? undefined : wrapping[facts.endpoint];
      if (facts.status === 200 && wrapper !== undefined && switches.on(wrapper)) return [body];
      if (!switches.on("transport/extra-members") || typeof body !== "object" || body === null || Array.isArray(body))
        return body;
      // Unknown members are lawful everywhere (requirement SVC-016).
      return { ...body, x_region: "eu-1", x_debug: { cached: false, weights: [1, null] } };
    },
    text: firstChange(switches, lawful.text, {
      "transport/older-instance": (text) => (isOlder() ? text.replaceAll(/"created":(\d+)/g, '"created":"$1"') : text),
      "transport/json-trailing-comma": (text) => text.replace(/\}$/, ",}"),
      "transport/json-cut": (text) => text.slice(0, -1),
      "transport/json-single-quotes": (text, { status }) => (status >= 400 ? text.replaceAll('"', "'") : text),
      "transport/json-duplicate-member": (text) =>
        text.replace(/^\{(\s*"[^"]+":)/, (all, name: string) => `{${name}null,${all.slice(1)}`),
      "transport/json-not-a-number": (text, { endpoint, status }) =>
        endpoint === "usage" && status === 200 ? text.replace(/"total_cost_usd":[^,}]+/, '"total_cost_usd":NaN') : text,
    }),
    bytes: firstChange(switches, lawful.bytes, {
      "transport/invalid-utf8": (text) => Buffer.concat([Buffer.from(text), invalidUtf8]),
    }),
    encoded: (bytes, acceptEncoding) => {
      if (bytes.length === 0) return lawful.encoded(bytes, acceptEncoding);
      if (switches.on("transport/coding-not-applied")) return { bytes, fields: { "content-encoding": "gzip" } };
      if (switches.on("transport/coding-unknown")) return { bytes, fields: { "content-encoding": "zstd" } };
      if (/\bgzip\b/.test(acceptEncoding) && switches.on("transport/gzip-cut"))
        return { bytes: gzipSync(bytes).subarray(0, -12), fields: { "content-encoding": "gzip" } };
      return /\bgzip\b/.test(acceptEncoding) && switches.on("transport/gzip")
        ? { bytes: gzipSync(bytes), fields: { "content-encoding": "gzip", vary: "accept-encoding" } }
        : lawful.encoded(bytes, acceptEncoding);
    },
    isChunked: () => switches.on("transport/chunked-bodies") || lawful.isChunked(),
    jsonType: (status) => {
      if (switches.on("headers/json-as-text")) return "text/plain; charset=utf-8";
      if (status >= 400 && switches.on("headers/errors-as-html-type")) return "text/html; charset=utf-8";
      return switches.on("headers/json-charset") ? "application/json; charset=utf-8" : lawful.jsonType(status);
    },
    contentType: (head) => (head.status < 300 && switches.on("headers/content-type-missing") ? null : lawful.contentType(head)),
    // A service may be off by more than a minute and still be lawful.
    dateMs: firstChange(switches, lawful.dateMs, {
      "headers/clock-ahead": (nowMs) => nowMs + 90_000,
      "headers/clock-behind": (nowMs) => nowMs - 90_000,
    }),
    rateFields: patchRateFields(switches),
    closesConnection: () => switches.on("transport/close-per-response") || lawful.closesConnection(),
    // Field names are case-insensitive (RFC 9110, section 5.1).
    fields: firstChange(switches, lawful.fields, {
      "transport/older-instance": byInstance,
      "headers/names-upper-case": (list) => spelled(list, (name) => name.toUpperCase()),
      "headers/names-title-case": (list) =>
        spelled(list, (name) => name.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())),
    }),
  };
}

function spelled(list: readonly string[], spelling: (name: string) => string): string[] {
  return list.map((item, index) => (index % 2 === 0 ? spelling(item) : item));
}
