import type { SeenCall } from "../../../http/seen-call.ts";
import { requestValidator } from "../../../../schemas/request-schemas.ts";
import type { OperatorElements, OperatorForm } from "./operators.ts";
import { withKnownModel } from "../../patches/with-known-model.ts";
import type { ActiveOperators } from "./active-operators.ts";

type Members = Readonly<Record<string, unknown>>;

/** The values that stand in for a member that is ignored, or whose wrong value is let pass. */
const usual: Members = {
  messages: [{ role: "user", content: "Hello." }],
  input: "Hello.",
  prompt: "A picture",
  role: "user",
};

/** A body before its schema is asked: members that are ignored, and rules that some forms of a request escape. */
export function operateOnValue(active: ActiveOperators, call: SeenCall, value: unknown): unknown {
  let body = value;
  for (const operator of active(call)) {
    if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
    const members = body as Members;
    if (operator.kind === "ignore") body = without(members, operator.member, call);
    if (operator.kind === "element") body = withUnchecked(members, operator.member, operator.checked, call);
    if (operator.kind === "unchecked" && hasForm(members, operator.form)) {
      if (operator.member === "role") body = withRoles(members);
      else if (operator.member === "unknown-model") body = withKnownModel(members);
      else body = repaired(members, operator.member, call);
    }
  }
  return body;
}

function without(body: Members, member: string, { endpoint }: SeenCall): Members {
  const { [member]: _ignored, ...rest } = body;
  const model = endpoint === "embeddings" ? "reference-embedding" : "reference-chat";
  const value = member === "model" ? model : usual[member];
  return value === undefined ? rest : { ...rest, [member]: value };
}

const lawful: Readonly<Record<string, (value: unknown) => boolean>> = {
  model: (value) => typeof value === "string",
  messages: (value) => Array.isArray(value),
  temperature: (value) => value === undefined || (typeof value === "number" && value >= 0 && value <= 2),
  reasoning_effort: (value) => value === undefined || ["low", "medium", "high"].includes(value as string),
  encoding_format: (value) => value === undefined || ["float", "base64"].includes(value as string),
};

function repaired(body: Members, member: string, call: SeenCall): Members {
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

const dozens = 24;

/** Wrong elements beyond those that are checked are dropped before anybody looks. */
function withUnchecked(body: Members, member: string, checked: OperatorElements, { endpoint }: SeenCall): Members {
  const elements: unknown = body[member];
  if (!Array.isArray(elements) || (endpoint !== "chat" && endpoint !== "embeddings")) return body;
  const problems = requestValidator(endpoint)(body).map(({ field }) => field);
  const isWrong = (place: number): boolean =>
    problems.some((field) => field === `${member}.${place}` || field.startsWith(`${member}.${place}.`));
  const last = elements.length - 1;
  const isChecked: Readonly<Record<OperatorElements, (place: number) => boolean>> = {
    first: (place) => place === 0,
    last: (place) => place === last,
    ends: (place) => place === 0 || place === last,
    "first-dozens": (place) => place < dozens,
  };
  return { ...body, [member]: elements.filter((_, place) => isChecked[checked](place) || !isWrong(place)) };
}

function hasForm(body: Members, form: OperatorForm): boolean {
  switch (form) {
    case "streamed":
      return body["stream"] === true;
    case "long":
      return JSON.stringify(body).length > 1200;
    case "later-message":
      return Array.isArray(body["messages"]) && body["messages"].length > 1;
    case "batch":
      return Array.isArray(body["input"]);
    default:
      return form satisfies never;
  }
}
