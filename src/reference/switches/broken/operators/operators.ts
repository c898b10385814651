import { type EndpointId, specifiedEndpoints } from "../../../../core/exchange/endpoint.ts";

/**
 * Mutants by operators: tables of what a request can hold, what a service can refuse, count and change, and the ways to get
 * each wrong. They act at the seams of the service (`patches/operators/`) and are read back from their id.
 */
export type Operator =
  | { readonly kind: "ignore"; readonly endpoint: EndpointId; readonly member: string }
  | { readonly kind: "unchecked"; readonly endpoint: EndpointId; readonly member: string; readonly form: OperatorForm }
  | { readonly kind: "status"; readonly status: number; readonly endpoint: EndpointId; readonly answer: number }
  | { readonly kind: "shape"; readonly status: number; readonly endpoint: EndpointId; readonly shape: OperatorShape }
  | { readonly kind: "streamed"; readonly status: number; readonly endpoint: "chat"; readonly defect: OperatorStream }
  | { readonly kind: "billed"; readonly status: number; readonly endpoint: EndpointId }
  | { readonly kind: "limit-billed"; readonly cause: OperatorCause; readonly endpoint: EndpointId }
  | { readonly kind: "executed"; readonly status: number; readonly endpoint: EndpointId }
  | { readonly kind: "admits"; readonly state: OperatorDeadKey; readonly endpoint: EndpointId; readonly form: OperatorWay }
  | { readonly kind: "company"; readonly endpoint: "chat" | "embeddings"; readonly defect: OperatorCompany }
  | { readonly kind: "limit-first"; readonly endpoint: "models" | "chat"; readonly who: OperatorBystander }
  | { readonly kind: "bars"; readonly endpoint: EndpointId; readonly form: OperatorWay }
  | { readonly kind: "element"; readonly endpoint: EndpointId; readonly member: string; readonly checked: OperatorElements }
  | { readonly kind: "swapped"; readonly endpoint: EndpointId }
  | { readonly kind: "limit-status"; readonly cause: OperatorCause; readonly answer: number }
  | { readonly kind: "hint"; readonly cause: OperatorCause; readonly defect: OperatorHint }
  | { readonly kind: "counter"; readonly counter: OperatorCounter; readonly defect: OperatorDefect }
  | { readonly kind: "setting"; readonly member: string; readonly defect: OperatorChange }
  | { readonly kind: "trouble"; readonly endpoint: EndpointId; readonly trouble: OperatorTrouble }
  | { readonly kind: "header"; readonly endpoint: EndpointId; readonly header: string; readonly defect: OperatorHeader };

export type OperatorForm = "streamed" | "long" | "later-message" | "batch";
const operatorDeadKeys = ["unknown", "expired", "revoked"] as const;
type OperatorDeadKey = (typeof operatorDeadKeys)[number];
const operatorBystanders = ["everybody", "look-alikes", "former-keys"] as const;
/** The key that is refused for the limit of another key. */
export type OperatorBystander = (typeof operatorBystanders)[number];
const operatorCompanies = ["served", "swapped", "spread", "billed", "counted"] as const;
/** The mistakes when some requests are refused while others are served. */
type OperatorCompany = (typeof operatorCompanies)[number];
/** Streamed completions take another way through a service. */
type OperatorWay = "plain" | "streamed";
const operatorElements = ["first", "last", "ends", "first-dozens"] as const;
/** Which elements of a list are checked at all. */
export type OperatorElements = (typeof operatorElements)[number];
const operatorShapes = ["no-code", "quota", "text", "empty-object", "list"] as const;
type OperatorShape = (typeof operatorShapes)[number];
const operatorStreams = ["begun", "event"] as const;
/** A refusal in a stream: begun with a success, or an error that comes as an event. */
export type OperatorStream = (typeof operatorStreams)[number];
const operatorCounters = ["prompt", "completion", "cost"] as const;
type OperatorCounter = (typeof operatorCounters)[number];
const operatorDefects = ["no-streams", "no-batches", "doubled", "constant", "one-short", "never", "at-once-lost"] as const;
type OperatorDefect = (typeof operatorDefects)[number];
const operatorChanges = ["lost", "lost-at-once", "late", "to-all-keys", "to-another-key", "to-asking-key", "doubled"] as const;
type OperatorChange = (typeof operatorChanges)[number];
const operatorTroubles = ["reset", "500", "502", "503"] as const;
type OperatorTrouble = (typeof operatorTroubles)[number];
const operatorHeaders = ["missing", "negative", "text", "fraction", "empty"] as const;
const operatorResets = ["delay", "milliseconds", "past"] as const;
type OperatorHeader = (typeof operatorHeaders)[number] | (typeof operatorResets)[number];
const limitCauses = ["requests", "cooldown", "key-cap"] as const;
const operatorCauses = ["requests", "cooldown", "key-cap", "unavailable"] as const;
/** The kind of refusal that a hint at a wait belongs to. */
export type OperatorCause = (typeof operatorCauses)[number];
const operatorHints = ["missing", "zero", "negative", "words", "fraction", "milliseconds", "hour-longer"] as const;
export type OperatorHint = (typeof operatorHints)[number];

const members: Readonly<Partial<Record<EndpointId, readonly string[]>>> = {
  chat: ["model", "messages", "stream", "tools", "temperature", "top_p", "max_tokens", "reasoning_effort"],
  embeddings: ["model", "input", "encoding_format", "dimensions"],
  images: ["prompt", "n", "size", "quality"],
  "key-settings": ["monthly_spend_cap", "burst_limit", "cooldown_seconds"],
  "account-settings": ["account_spend_cap"],
};

/** Rules with the forms in which they can be asked. */
const rules: readonly (readonly [EndpointId, string, readonly OperatorForm[]])[] = [
  ...["model", "messages", "temperature", "reasoning_effort"].map(
    (member) => ["chat", member, ["streamed", "long"]] as const satisfies readonly [EndpointId, string, readonly OperatorForm[]],
  ),
  ["chat", "role", ["streamed", "later-message"]],
  ["chat", "unknown-model", ["streamed"]],
  ["embeddings", "model", ["batch"]],
  ["embeddings", "encoding_format", ["batch"]],
];

/** Those that the specification describes, and those that it only names. */
const evenNamed: readonly EndpointId[] = [...specifiedEndpoints, "agents", "workspaces", "verify"];
const ways: readonly (readonly [EndpointId, OperatorWay])[] = [
  ...evenNamed.map((endpoint) => [endpoint, "plain"] as const),
  ["chat", "streamed"],
];

/** The endpoints on which a status can occur at all. */
const refusals: readonly (readonly [number, readonly EndpointId[]])[] = [
  [401, evenNamed],
  [402, specifiedEndpoints],
  [403, ["key-settings", "account-settings"]],
  [404, ["key-settings", "chat", "embeddings"]],
  [422, ["chat", "embeddings", "images", "transcriptions", "usage", "key-settings", "account-settings"]],
];
const paid: readonly EndpointId[] = ["chat", "embeddings", "images", "transcriptions"];
/** Refusals of requests that could have been billed, to an account that is known. */
const billable: readonly (readonly [number, readonly EndpointId[]])[] = [
  [401, paid],
  [402, paid],
  [404, ["chat", "embeddings"]],
  [422, paid],
];
const answers: readonly number[] = [200, 400, 401, 403, 404, 422, 418, 500];

const resetFields: readonly string[] = ["x-ratelimit-reset-requests", "x-ratelimit-reset-tokens"];
const rateFields = [
  ...["limit", "remaining"].flatMap((field) => ["requests", "tokens"].map((unit) => `x-ratelimit-${field}-${unit}`)),
  ...resetFields,
];

export const allOperators: readonly Operator[] = [
  ...Object.entries(members).flatMap(([endpoint, names]) =>
    names.map((member): Operator => ({ kind: "ignore", endpoint: endpoint as EndpointId, member })),
  ),
  ...rules.flatMap(([endpoint, member, forms]) => forms.map((form): Operator => ({ kind: "unchecked", endpoint, member, form }))),
  ...refusals.flatMap(([status, endpoints]) =>
    endpoints.flatMap((endpoint): readonly Operator[] => [
      ...answers.filter((answer) => answer !== status).map((answer): Operator => ({ kind: "status", status, endpoint, answer })),
      ...operatorShapes.map((shape): Operator => ({ kind: "shape", status, endpoint, shape })),
    ]),
  ),
  ...[401, 402, 404, 422, 429].flatMap((status) =>
    operatorStreams.map((defect): Operator => ({ kind: "streamed", status, endpoint: "chat", defect })),
  ),
  ...billable.flatMap(([status, endpoints]) => endpoints.map((endpoint): Operator => ({ kind: "billed", status, endpoint }))),
  ...operatorDeadKeys.flatMap((state) => ways.map(([endpoint, form]): Operator => ({ kind: "admits", state, endpoint, form }))),
  ...ways.map(([endpoint, form]): Operator => ({ kind: "bars", endpoint, form })),
  ...operatorCompanies.map((defect): Operator => ({ kind: "company", endpoint: "chat", defect })),
  ...(["served", "spread", "billed"] as const).map((defect): Operator => ({
    kind: "company",
    endpoint: "embeddings",
    defect,
  })),
  ...(["models", "chat"] as const).flatMap((endpoint) =>
    operatorBystanders.map((who): Operator => ({ kind: "limit-first", endpoint, who })),
  ),
  ...limitCauses.flatMap((cause) => paid.map((endpoint): Operator => ({ kind: "limit-billed", cause, endpoint }))),
  ...[401, 402, 403, 422].map((status): Operator => ({ kind: "executed", status, endpoint: "key-settings" })),
  ...(
    [
      ["chat", "messages"],
      ["chat", "tools"],
      ["embeddings", "input"],
    ] as const
  ).flatMap(([endpoint, member]) =>
    operatorElements.map((checked): Operator => ({ kind: "element", endpoint, member, checked })),
  ),
  ...[401, 403, 422].map((status): Operator => ({ kind: "executed", status, endpoint: "account-settings" })),
  ...(["chat", "embeddings", "images"] as const).map((endpoint): Operator => ({ kind: "swapped", endpoint })),
  ...limitCauses.flatMap((cause) =>
    [200, 400, 402, 403, 418, 500, 503].map((answer): Operator => ({ kind: "limit-status", cause, answer })),
  ),
  ...operatorCauses.flatMap((cause) => operatorHints.map((defect): Operator => ({ kind: "hint", cause, defect }))),
  ...operatorCounters.flatMap((counter) => operatorDefects.map((defect): Operator => ({ kind: "counter", counter, defect }))),
  ...["burst_limit", "cooldown_seconds", "monthly_spend_cap"].flatMap((member) =>
    operatorChanges.map((defect): Operator => ({ kind: "setting", member, defect })),
  ),
  ...specifiedEndpoints.flatMap((endpoint) =>
    operatorTroubles.map((trouble): Operator => ({ kind: "trouble", endpoint, trouble })),
  ),
  ...specifiedEndpoints.flatMap((endpoint) =>
    rateFields.flatMap((header) =>
      [...operatorHeaders, ...(resetFields.includes(header) ? operatorResets : [])].map((defect): Operator => ({
        kind: "header",
        endpoint,
        header,
        defect,
      })),
    ),
  ),
];

/** `op/status/422/chat/500` */
export function operatorId(operator: Operator): string {
  return ["op", ...Object.values(operator)].join("/");
}

const byId: ReadonlyMap<string, Operator> = new Map(allOperators.map((operator) => [operatorId(operator), operator]));

/** null: the id is that of no operator. */
export function findOperator(id: string): Operator | null {
  return byId.get(id) ?? null;
}
