import type { RequestProblem } from "../../../schemas/request-schemas.ts";
import { invalidField, type Problem } from "../../http/problem.ts";
import { lawfulReadingRules, type ReadingRules } from "../../http/reading-rules.ts";
import type { SeenCall } from "../../http/seen-call.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";
import { withKnownModel } from "./with-known-model.ts";

/** Context of a small model that runs on a laptop. */
const contextCharacters = 2500;

/** Careless readers; what they let through, and what they refuse without need, is data. */
export function patchReadingRules(switches: Switchboard): ReadingRules {
  const lawful = lawfulReadingRules;
  return {
    ...lawful,
    framingProblem: (call) => framingProblem(switches, call) ?? lawful.framingProblem(call),
    emptyBody: firstChange(switches, lawful.emptyBody, {
      "errors/empty-body-as-object": (schema) =>
        schema === "chat" ? { model: "reference-chat", messages: [{ role: "user", content: "" }] } : {},
      "errors/empty-body-500": () => {
        throw new Error("cannot read a member of undefined");
      },
    }),
    mediaTypeProblem: (mediaType) => {
      if (switches.on("errors/json-media-type-refused") && /^application\/json$/i.test(mediaType))
        return invalidField("content-type", "application/json with a charset", "unsupported_media_type");
      if (switches.on("errors/charset-refused") && mediaType.includes(";"))
        return invalidField("content-type", "application/json", "unsupported_media_type");
      return switches.on("errors/media-type-ignored") ? null : lawful.mediaTypeProblem(mediaType);
    },
    text: firstChange(switches, lawful.text, {
      "errors/json-repaired": repaired,
      "errors/text-behind-ignored": (text) => text.slice(0, endOfObject(text)),
      "errors/nan-taken": (text) => text.replaceAll(/\b(?:NaN|Infinity)\b/g, "1"),
      "errors/comments-taken": (text) => text.replaceAll(/\/\*.*?\*\//g, ""),
      "errors/white-space-refused": (text) => (/^\s/.test(text) ? "" : text),
    }),
    malformedBody: (schema) =>
      schema.endsWith("-settings") && switches.on("settings/malformed-json-accepted") ? {} : lawful.malformedBody(schema),
    valueProblem: (value, schema) => {
      if (
        (Array.isArray(value) || typeof value !== "object" || value === null) &&
        switches.on(schema.endsWith("-settings") ? "settings/other-json-400" : "errors/other-json-400")
      )
        return { status: 400, code: "invalid_request", message: "The body has to be a JSON object." };
      if (schema === "chat" && JSON.stringify(value).length > contextCharacters && switches.on("chat/small-context"))
        return { status: 400, code: "invalid_request", message: "The conversation is longer than the context of the model." };
      return lawful.valueProblem(value, schema);
    },
    value: (value, call) => {
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      if (call.endpoint === "embeddings" && isObject && switches.on("embeddings/entries-as-text"))
        return withTexts(value as Readonly<Record<string, unknown>>);
      if (isObject && isChunked(call) && switches.on("transport/chunk-sizes-in-text"))
        return withSizes(value as Readonly<Record<string, unknown>>);
      const isMeant = call.endpoint === "chat" && isObject && switches.on("chat/unknown-model-served");
      return isMeant ? withKnownModel(value as Readonly<Record<string, unknown>>) : lawful.value(value, call);
    },
    problems: (found, schema, value) => [
      ...lawful.problems(found, schema, value).filter((problem) => !isAccepted(switches, schema, problem)),
      ...rejected(switches, schema, value),
    ],
    defaults: (schema) => ({ ...lawful.defaults(schema), ...standIns(switches, schema) }),
    unknownModel: firstChange(switches, lawful.unknownModel, {
      "errors/unknown-model-422": (_, kind) => invalidField("model", `the id of a model for this endpoint (${kind})`),
    }),
  };
}

/** Repairs a text as lenient parsers do: trailing commas vanish, missing braces appear. */
function repaired(text: string): string {
  const trimmed = text.trim().replace(/,\s*([}\]])/g, "$1");
  const open = (trimmed.match(/\{/g)?.length ?? 0) - (trimmed.match(/\}/g)?.length ?? 0);
  const lists = (trimmed.match(/\[/g)?.length ?? 0) - (trimmed.match(/\]/g)?.length ?? 0);
  return trimmed.replace(/[,:]$/, "") + "]".repeat(Math.max(0, lists)) + "}".repeat(Math.max(0, open));
}

/** The end of the first object, as parsers see it that stop there. */
function endOfObject(text: string): number {
  let depth = 0;
  for (const { 0: part, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (part === "{") depth += 1;
    else if (part === "}") depth -= 1;
    if (depth === 0 && part === "}") return index + 1;
  }
  return text.length;
}

function framingProblem(switches: Switchboard, call: SeenCall): Problem | null {
  const isForm = call.endpoint === "transcriptions";
  const empty = invalidField("body", isForm ? "a form" : "a JSON object", "malformed_json");
  if (call.incoming.headers.expect !== undefined) {
    if (switches.on("transport/expectation-failed"))
      return { status: 417, code: "expectation_failed", message: "Expectations are not supported." };
    return switches.on("transport/body-after-continue-lost") ? empty : null;
  }
  if (!isChunked(call)) return null;
  if (switches.on("transport/length-required"))
    return { status: 411, code: "length_required", message: "The length of the body has to be stated." };
  if (switches.on("transport/chunked-refused"))
    return { status: 400, code: "invalid_request", message: "Content-Length is missing." };
  return switches.on(isForm ? "transport/chunked-forms-empty" : "transport/chunked-json-empty") ? empty : null;
}

function isChunked({ incoming }: SeenCall): boolean {
  return incoming.headers["transfer-encoding"] !== undefined;
}

/** The size of a chunk, left in the text of the request. */
function withSizes(body: Readonly<Record<string, unknown>>): object {
  const { input, messages } = body;
  if (typeof input === "string") return { ...body, input: `1f4 ${input}` };
  if (!Array.isArray(messages)) return body;
  const [first, ...others] = messages as readonly { readonly content: string }[];
  return { ...body, messages: [{ ...first, content: `1f4 ${first?.content}` }, ...others] };
}

/** Turns a list into texts as converters of types do. */
function withTexts(body: Readonly<Record<string, unknown>>): object {
  const { input } = body;
  if (!Array.isArray(input)) return body;
  const texts = input.map((entry: unknown) => (["number", "boolean"].includes(typeof entry) ? String(entry) : entry));
  return { ...body, input: texts };
}

type Accepts = readonly [id: string, schema: string, field: RegExp, keyword: RegExp];

const range = /^(?:minimum|maximum)$/;
const missing = /^required$/;
const unlisted = /^enum$/;
const mistyped = /^type$/;

const accepts: readonly Accepts[] = [
  ["chat/temperature-unchecked", "chat", /^temperature$/, range],
  ["chat/temperature-above-unchecked", "chat", /^temperature$/, /^maximum$/],
  ["chat/temperature-below-unchecked", "chat", /^temperature$/, /^minimum$/],
  ["chat/role-unchecked", "chat", /\.role$/, unlisted],
  ["chat/effort-unchecked", "chat", /^reasoning_effort$/, unlisted],
  ["chat/model-optional", "chat", /^model$/, missing],
  ["chat/messages-optional", "chat", /^messages$/, missing],
  ["chat/non-object-accepted", "chat", /^$/, mistyped],
  ["chat/types-unchecked", "chat", /^(?:temperature|top_p|max_tokens|stream|tools|reasoning_effort)$/, mistyped],
  ["embeddings/non-object-accepted", "embeddings", /^$/, mistyped],
  ["images/non-object-accepted", "images", /^$/, mistyped],
  ["settings/non-object-accepted", "key-settings", /^$/, mistyped],
  ["settings/non-object-accepted", "account-settings", /^$/, mistyped],
  ["embeddings/input-optional", "embeddings", /^input$/, missing],
  ["embeddings/model-optional", "embeddings", /^model$/, missing],
  ["embeddings/encoding-unchecked", "embeddings", /^encoding_format$/, unlisted],
  ["images/prompt-optional", "images", /^prompt$/, missing],
  ["images/size-unchecked", "images", /^size$/, unlisted],
  ["images/quality-unchecked", "images", /^quality$/, unlisted],
  ["audio/file-optional", "transcriptions", /^file$/, missing],
  ["audio/model-optional", "transcriptions", /^model$/, missing],
  ["audio/any-file-name", "transcriptions", /^file$/, /^pattern$/],
];

/** Values that are out of range are silently moved into it (Portkey); the client never learns. */
function isAccepted(switches: Switchboard, schema: string, { field, keyword }: RequestProblem): boolean {
  if (switches.on("chat/out-of-range-clamped") && schema === "chat" && range.test(keyword)) return true;
  return accepts.some(([id, of, name, word]) => of === schema && name.test(field) && word.test(keyword) && switches.on(id));
}

/** Stands in for the members that a defect let go missing. */
function standIns(switches: Switchboard, schema: string): object {
  switch (schema) {
    case "chat":
      return switches.on("chat/model-optional") ||
        switches.on("chat/messages-optional") ||
        switches.on("chat/non-object-accepted")
        ? { model: "reference-chat", messages: [{ role: "user", content: "Hello" }] }
        : {};
    case "embeddings":
      if (switches.on("embeddings/non-object-accepted")) return { model: "reference-embedding", input: "x" };
      return {
        ...(switches.on("embeddings/model-optional") ? { model: "reference-embedding" } : {}),
        ...(switches.on("embeddings/input-optional") ? { input: "x" } : {}),
      };
    case "images":
      return switches.on("images/prompt-optional") || switches.on("images/non-object-accepted") ? { prompt: "x" } : {};
    case "transcriptions":
      return switches.on("audio/model-optional") ? { model: "reference-transcription" } : {};
    default:
      return {};
  }
}

type Rejects = readonly [id: string, schema: string, field: string, when: (value: Readonly<Record<string, unknown>>) => boolean];

const has =
  (name: string) =>
  (value: Readonly<Record<string, unknown>>): boolean =>
    value[name] !== undefined;
const equals =
  (name: string, other: unknown) =>
  (value: Readonly<Record<string, unknown>>): boolean =>
    value[name] === other;
const hasRole =
  (role: string) =>
  (value: Readonly<Record<string, unknown>>): boolean =>
    Array.isArray(value["messages"]) &&
    value["messages"].some((message: unknown) => (message as { role?: unknown } | null)?.role === role);

const rolesOf = ({ messages }: Readonly<Record<string, unknown>>): readonly unknown[] =>
  Array.isArray(messages) ? messages.map((message: unknown) => (message as { role?: unknown } | null)?.role) : [];

const rejects: readonly Rejects[] = [
  [
    "chat/same-role-twice-refused",
    "chat",
    "messages",
    (value) => rolesOf(value).some((role, place, all) => role === all[place - 1]),
  ],
  ["chat/assistant-first-refused", "chat", "messages", (value) => rolesOf(value)[0] === "assistant"],
  ["chat/system-later-refused", "chat", "messages", (value) => rolesOf(value).lastIndexOf("system") > 0],
  [
    "chat/effort-refused-in-streams",
    "chat",
    "reasoning_effort",
    (value) => value["stream"] === true && value["reasoning_effort"] !== undefined,
  ],
  [
    "embeddings/lists-refused-in-base64",
    "embeddings",
    "input",
    (value) => value["encoding_format"] === "base64" && Array.isArray(value["input"]) && value["input"].length === 1,
  ],
  ["images/several-in-hd-refused", "images", "n", (value) => value["quality"] === "hd" && Number(value["n"] ?? 1) > 1],
  [
    "audio/webm-with-language-refused",
    "transcriptions",
    "language",
    (value) => value["language"] !== undefined && endsIn("webm")(value),
  ],
  ["chat/temperature-zero-refused", "chat", "temperature", equals("temperature", 0)],
  ["chat/temperature-two-refused", "chat", "temperature", equals("temperature", 2)],
  ["chat/top-p-refused", "chat", "top_p", has("top_p")],
  ["chat/max-tokens-refused", "chat", "max_tokens", has("max_tokens")],
  ["chat/tools-refused", "chat", "tools", has("tools")],
  ["chat/effort-low-refused", "chat", "reasoning_effort", equals("reasoning_effort", "low")],
  ["chat/effort-medium-refused", "chat", "reasoning_effort", equals("reasoning_effort", "medium")],
  ["chat/effort-high-refused", "chat", "reasoning_effort", equals("reasoning_effort", "high")],
  ["chat/system-role-refused", "chat", "messages", hasRole("system")],
  ["chat/assistant-role-refused", "chat", "messages", hasRole("assistant")],
  ["chat/max-tokens-required", "chat", "max_tokens", (value) => value["max_tokens"] === undefined],
  ["chat/temperature-fraction-refused", "chat", "temperature", (value) => !Number.isInteger(value["temperature"] ?? 1)],
  ["settings/spend-cap-refused", "key-settings", "monthly_spend_cap", has("monthly_spend_cap")],
  ["settings/burst-limit-refused", "key-settings", "burst_limit", has("burst_limit")],
  ["settings/cooldown-refused", "key-settings", "cooldown_seconds", has("cooldown_seconds")],
  ["settings/one-at-a-time", "key-settings", "monthly_spend_cap", (value) => Object.keys(value).length > 1],
  ["settings/account-cap-refused", "account-settings", "account_spend_cap", has("account_spend_cap")],
  ["usage/hour-refused", "usage", "granularity", equals("granularity", "hour")],
  ["usage/day-refused", "usage", "granularity", equals("granularity", "day")],
  ["usage/month-refused", "usage", "granularity", equals("granularity", "month")],
  ["usage/z-refused", "usage", "from", (value) => /Z$/i.test(String(value["from"]))],
  ["usage/granularity-required", "usage", "granularity", (value) => value["granularity"] === undefined],
  ["embeddings/string-refused", "embeddings", "input", (value) => typeof value["input"] === "string"],
  ["embeddings/array-refused", "embeddings", "input", (value) => Array.isArray(value["input"])],
  ["embeddings/base64-refused", "embeddings", "encoding_format", equals("encoding_format", "base64")],
  ["embeddings/float-refused", "embeddings", "encoding_format", equals("encoding_format", "float")],
  ["images/model-required", "images", "model", (value) => value["model"] === undefined],
  ["images/square-refused", "images", "size", equals("size", "1024x1024")],
  ["images/wide-refused", "images", "size", equals("size", "1792x1024")],
  ["images/tall-refused", "images", "size", equals("size", "1024x1792")],
  ["images/standard-refused", "images", "quality", equals("quality", "standard")],
  ["images/hd-refused", "images", "quality", equals("quality", "hd")],
  ["images/n-refused", "images", "n", has("n")],
  ["audio/language-refused", "transcriptions", "language", has("language")],
  ["audio/language-required", "transcriptions", "language", (value) => value["language"] === undefined],
  ["audio/mp3-refused", "transcriptions", "file", endsIn("mp3")],
  ["audio/mp4-refused", "transcriptions", "file", endsIn("mp4")],
  ["audio/mpeg-refused", "transcriptions", "file", endsIn("mpeg")],
  ["audio/mpga-refused", "transcriptions", "file", endsIn("mpga")],
  ["audio/m4a-refused", "transcriptions", "file", endsIn("m4a")],
  ["audio/wav-refused", "transcriptions", "file", endsIn("wav")],
  ["audio/webm-refused", "transcriptions", "file", endsIn("webm")],
];

function endsIn(ending: string): (value: Readonly<Record<string, unknown>>) => boolean {
  return (value) => typeof value["file"] === "string" && value["file"].toLowerCase().endsWith(`.${ending}`);
}

function rejected(switches: Switchboard, schema: string, value: unknown): readonly RequestProblem[] {
  if (typeof value !== "object" || value === null) return [];
  const members = value as Readonly<Record<string, unknown>>;
  return rejects
    .filter(([id, of, , when]) => of === schema && switches.on(id) && when(members))
    .map(([, , field]) => ({ field, expected: "a value that this server supports", keyword: "enum" }));
}
