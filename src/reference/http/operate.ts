import { asksForStream } from "./asks-for-stream.ts";
import type { Call } from "./call.ts";
import type { Lease, Outcome, RateHeaders } from "../engine/admission.ts";
import type { Operator, OperatorCause, OperatorForm, OperatorHint } from "../defects/operators.ts";
import type { KeyRecord } from "../engine/keys/key-record.ts";
import type { LimitCause } from "../engine/refusal.ts";
import type { KeyChange } from "../engine/settings/settings-change.ts";

type Members = Record<string, unknown>;

/** The operators that are on for the operation of this call. */
function activeOn(call: Call): readonly Operator[] {
  const operators = call.service.operators();
  return operators.length === 0
    ? operators
    : operators.filter((operator) => !("endpoint" in operator) || operator.endpoint === call.endpoint);
}

/** What stands in for a member that is ignored, or whose wrong value is let pass. */
const usual: Readonly<Record<string, unknown>> = {
  messages: [{ role: "user", content: "Hello." }],
  input: "Hello.",
  prompt: "A picture",
  role: "user",
};

/** Seam 1: the body before it is validated. */
export function operateOnBody(call: Call, value: unknown): unknown {
  let body = value;
  for (const operator of activeOn(call)) {
    if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
    if (operator.kind === "ignore") body = without(body as Members, operator.member, call);
    if (operator.kind === "unchecked" && hasForm(body as Members, operator.form)) {
      body = operator.member === "role" ? withRoles(body as Members) : repaired(body as Members, operator.member, call);
    }
  }
  return body;
}

function standIn(member: string, call: Call): unknown {
  if (member === "model") return call.endpoint === "embeddings" ? "reference-embedding" : "reference-chat";
  return usual[member];
}

function without(body: Members, member: string, call: Call): Members {
  const { [member]: _ignored, ...rest } = body;
  const value = standIn(member, call);
  return value === undefined ? rest : { ...rest, [member]: value };
}

const lawful: Readonly<Record<string, (value: unknown) => boolean>> = {
  model: (value) => typeof value === "string",
  messages: (value) => Array.isArray(value),
  temperature: (value) => value === undefined || (typeof value === "number" && value >= 0 && value <= 2),
  reasoning_effort: (value) => value === undefined || ["low", "medium", "high"].includes(value as string),
  encoding_format: (value) => value === undefined || ["float", "base64"].includes(value as string),
};

function repaired(body: Members, member: string, call: Call): Members {
  return lawful[member]?.(body[member]) === false ? without(body, member, call) : body;
}

function withRoles(body: Members): Members {
  const { messages } = body;
  if (!Array.isArray(messages)) return body;
  const known = new Set(["system", "user", "assistant"]);
  const isStreamed = body["stream"] === true;
  return {
    ...body,
    messages: (messages as Members[]).map((message, place) =>
      (place > 0 || isStreamed) && !known.has(String(message["role"])) ? { ...message, role: "user" } : message,
    ),
  };
}

function hasForm(body: Members, form: OperatorForm): boolean {
  switch (form) {
    case "streamed":
      return body["stream"] === true;
    case "long":
      return JSON.stringify(body).length > 3000;
    case "later-message":
      return Array.isArray(body["messages"]) && body["messages"].length > 1;
    case "batch":
      return Array.isArray(body["input"]);
    default:
      return form satisfies never;
  }
}

interface OperatedAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Seam 2: a refusal before it is written. */
export function operateOnRefusal(call: Call, answer: OperatedAnswer): OperatedAnswer {
  let { status, body } = answer;
  for (const operator of activeOn(call)) {
    if (operator.kind === "status" && operator.status === answer.status) {
      status = operator.answer;
      if (status === 200) body = { object: "ok" };
    }
    if (operator.kind === "shape" && operator.status === answer.status) body = shapes[operator.shape];
  }
  return { status, body };
}

const shapes = {
  "no-code": { error: { message: "No." } },
  quota: { error: "quota_exceeded", retry_after_ms: 1000, cap_type: "monthly_spend" },
  text: "No.",
  "empty-object": {},
  list: [{ error: { code: "no" } }],
} as const;

/** Seam 3: what a request is billed. */
export function operateOnLease(call: Call, lease: Lease): Lease {
  const counters = activeOn(call).filter((operator) => operator.kind === "counter");
  const headers = activeOn(call).filter((operator) => operator.kind === "header");
  if (counters.length === 0 && headers.length === 0) return lease;
  return {
    admittedAtMs: lease.admittedAtMs,
    queuedMs: lease.queuedMs,
    rateHeaders: () => operateOnHeaders(call, lease.rateHeaders()),
    settle: (outcome) => lease.settle(counters.reduce((bill, operator) => miscount(call, bill, operator), outcome)),
  };
}

const counted = { prompt: "promptTokens", completion: "completionTokens", cost: "costMicros" } as const;

function miscount(call: Call, bill: Outcome, { counter, defect }: Extract<Operator, { kind: "counter" }>): Outcome {
  const name = counted[counter];
  const value = bill[name];
  const change = (next: number): Outcome => ({ ...bill, [name]: Math.max(0, next) });
  if (value === 0) return bill;
  switch (defect) {
    case "no-streams":
      return asksForStream(call) ? change(0) : bill;
    case "no-batches":
      return (bill.items ?? 1) > 1 ? change(0) : bill;
    case "doubled":
      return change(2 * value);
    case "constant":
      return change(10);
    case "one-short":
      return change(value - 1);
    case "never":
      return change(0);
    case "at-once-lost":
      return call.service.inFlight.count > 1 ? change(0) : bill;
    default:
      return defect satisfies never;
  }
}

/** Seam 4: the fields that show the limits. */
export function operateOnHeaders(call: Call, headers: RateHeaders): RateHeaders {
  let fields: Readonly<Record<string, string>> = headers;
  for (const operator of activeOn(call)) {
    if (operator.kind !== "header") continue;
    const { [operator.header]: value, ...rest } = fields;
    if (value === undefined || operator.defect === "missing") fields = rest;
    else fields = { ...rest, [operator.header]: distorted[operator.defect](value, call.service.engine.clock.wallMs()) };
  }
  return fields;
}

const distorted = {
  negative: (value: string): string => `-${value}`,
  text: (): string => "many",
  fraction: (value: string): string => `${value}.5`,
  empty: (): string => "",
  delay: (value: string, nowMs: number): string => String(Math.max(0, Math.ceil(Number(value) - nowMs / 1000))),
  milliseconds: (value: string): string => String(1000 * Number(value)),
  past: (_value: string, nowMs: number): string => String(Math.floor(nowMs / 1000) - 120),
} as const;

interface Hinted {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Seam 8: the wait that a refusal states, in the field and in the body. */
export function operateOnHint(call: Call, cause: LimitCause | "unavailable", answer: Hinted): Hinted {
  let { headers, body } = answer;
  for (const operator of activeOn(call)) {
    if (operator.kind !== "hint" || operator.cause !== causeOf(cause)) continue;
    headers = withHint(headers, "retry-after", operator.defect, String);
    body = withHint(body, "retry-after", operator.defect, (value) => value);
    body = withHint(body, "retry_after_ms", operator.defect, (value) => value);
  }
  return { headers, body };
}

function causeOf(cause: LimitCause | "unavailable"): OperatorCause | null {
  return cause === "tokens" || cause === "account-cap" ? null : cause;
}

function withHint<Value>(
  fields: Readonly<Record<string, Value>>,
  name: string,
  defect: OperatorHint,
  write: (value: number | string) => Value,
): Readonly<Record<string, Value>> {
  const { [name]: value, ...rest } = fields;
  if (value === undefined || defect === "missing") return rest;
  return { ...rest, [name]: write(hints[defect](Number(value), name.endsWith("_ms") ? 1000 : 1)) };
}

const hints: Readonly<Record<Exclude<OperatorHint, "missing">, (value: number, unit: number) => number | string>> = {
  zero: () => 0,
  negative: (value) => -value,
  words: () => "soon",
  fraction: (value) => value + 0.5,
  // The wrong one of both units.
  milliseconds: (value, unit) => (unit === 1 ? 1000 * value : Math.ceil(value / 1000)),
  "hour-longer": (value, unit) => value + 3600 * unit,
};

/** Seam 9: two requests of one kind in flight at the same time are served for one another. */
export async function operateOnInput<Input>(call: Call, input: Input): Promise<Input> {
  if (!activeOn(call).some(({ kind }) => kind === "swapped")) return input;
  const { meetings } = call.service;
  const kind = `${call.endpoint} ${asksForStream(call)}`;
  const waiting = meetings.get(kind);
  if (waiting !== undefined) {
    meetings.delete(kind);
    waiting.swap(input);
    return waiting.input as Input;
  }
  return new Promise((resolve) => {
    const alone = setTimeout(() => {
      meetings.delete(kind);
      resolve(input);
    }, meetingMs);
    meetings.set(kind, {
      input,
      swap: (other) => {
        clearTimeout(alone);
        resolve(other as Input);
      },
    });
  });
}

/** How long a request is held where requests that arrive together have to meet, real milliseconds. */
const meetingMs = 12;

/** Resolves once requests that arrived together have met, where an operator is about them. */
export async function operateOnMeeting(call: Call): Promise<void> {
  const meets = activeOn(call).some(
    (operator) =>
      (operator.kind === "counter" && operator.defect === "at-once-lost") ||
      (operator.kind === "setting" && operator.defect === "lost-at-once"),
  );
  if (meets) await new Promise((resolve) => setTimeout(resolve, meetingMs));
}

/** Seam 5: a change of settings before it is applied; null: nothing of it is. */
export function operateOnChange(call: Call, change: KeyChange): KeyChange {
  let next: Readonly<Record<string, number | null | undefined>> = { ...change };
  for (const operator of activeOn(call)) {
    if (operator.kind !== "setting") continue;
    const { [operator.member]: value, ...rest } = next;
    if (value === undefined) continue;
    if (operator.defect === "lost" || (operator.defect === "lost-at-once" && call.service.inFlight.count > 1)) next = rest;
    if (operator.defect === "doubled") next = { ...rest, [operator.member]: value === null ? null : 2 * value };
  }
  return next;
}

/** The keys that a change reaches. */
export function operateOnTarget(call: Call, id: string): readonly string[] {
  const { engine } = call.service;
  const changed = engine.keys.byId(id);
  let ids: readonly string[] = [id];
  for (const operator of activeOn(call)) {
    if (operator.kind !== "setting" || changed === undefined) continue;
    if (operator.defect === "to-asking-key") ids = [call.key?.id ?? id];
    if (operator.defect === "to-another-key") ids = [engine.keys.byName("secondary")?.id ?? id];
    if (operator.defect === "to-all-keys") {
      ids = engine.keys.list().flatMap((key) => (key.account === changed.account ? [key.id] : []));
    }
  }
  return ids;
}

/** How much later than answered a change is applied, ms of the service. */
export function operateOnDelay(call: Call): number {
  return activeOn(call).some((operator) => operator.kind === "setting" && operator.defect === "late") ? 600_000 : 0;
}

/** Seam 6: a request that is admitted and then not answered as it should be. */
export function operateOnWork(call: Call): Call["fault"] {
  for (const operator of activeOn(call)) {
    if (operator.kind !== "trouble") continue;
    return operator.trouble === "reset" ? { cut: "reset-before-headers" } : { status: Number(operator.trouble) };
  }
  return null;
}

/** Seam 7: whether a refused request is billed like one that was served. */
export function isBilledAnyway(call: Call, status: number): boolean {
  return activeOn(call).some((operator) => operator.kind === "billed" && operator.status === status);
}

/** Seam 10: a change of settings that is refused and carried out; what of it can be read is applied to the key in the path. */
export function executeAnyway(call: Call, status: number): void {
  if (!activeOn(call).some((operator) => operator.kind === "executed" && operator.status === status)) return;
  const { keys } = call.service.engine;
  const { key_id: id } = call.request.params as { readonly key_id?: string };
  const key = keys.byId(id ?? "");
  const { body } = call.request;
  if (key === undefined || !(body instanceof Buffer)) return;
  keys.put({ ...key, settings: { ...key.settings, ...wholeNumbersIn(body) } });
}

function wholeNumbersIn(body: Buffer): Partial<KeyRecord["settings"]> {
  try {
    const members = Object.entries(JSON.parse(body.toString()) as Readonly<Record<string, unknown>>);
    return Object.fromEntries(members.filter(([, value]) => Number.isInteger(value)));
  } catch {
    return {};
  }
}
