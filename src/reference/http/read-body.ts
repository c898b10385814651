import { operateOnBody } from "./operate.ts";
import { isUtf8 } from "node:buffer";
import { findBeyond } from "../../core/exchange/bounded-json.ts";
import { requestValidator, type RequestProblem } from "../../schemas/request-schemas.ts";
import { findModel, type Model } from "../content/models.ts";
import type { Call } from "./call.ts";
import { acceptedByDefect, defaultsByDefect, rejectedByDefect } from "./validation-defects.ts";
import { invalidField, invalidRequest, unknownModel } from "./problem.ts";
import type { Read } from "./operation.ts";

/** Fewer bytes cannot hold enough values to matter. */
const unboundedBytes = 2 ** 18;
const jsonMediaType = /^application\/json\s*(?:;|$)/i;

/**
 * The JSON body, parsed strictly (RFC 8259 in UTF-8) and validated without coercion against `schemas/wire/<schema>.request.json`.
 * Every mistake is a 422: another media type, no body, malformed JSON, or failing members, all of which are listed.
 */
export function readJson<Input>(call: Call, schema: string): Read<Input> {
  const { switches } = call.service;
  const bytes = Buffer.isBuffer(call.request.body) ? call.request.body : Buffer.alloc(0);
  if (bytes.length === 0) {
    if (switches.on("errors/empty-body-as-object")) return validate<Input>(call, schema, emptyBodies[schema] ?? {});
    if (switches.on("errors/empty-body-500")) throw new Error("cannot read a member of undefined");
    return refused(invalidField("body", "a JSON object", "malformed_json"));
  }
  const mediaType = call.incoming.headers["content-type"] ?? "";
  if (switches.on("errors/json-media-type-refused") && /^application\/json$/i.test(mediaType)) {
    return refused(invalidField("content-type", "application/json with a charset", "unsupported_media_type"));
  }
  if (!jsonMediaType.test(mediaType) && !switches.on("errors/media-type-ignored")) {
    return refused(invalidField("content-type", "application/json", "unsupported_media_type"));
  }
  if (switches.on("errors/charset-refused") && mediaType.includes(";")) {
    return refused(invalidField("content-type", "application/json", "unsupported_media_type"));
  }
  let value: unknown;
  try {
    if (!isUtf8(bytes)) throw new SyntaxError("not UTF-8");
    if (bytes.length > unboundedBytes && findBeyond(bytes.toString()) !== null) throw new SyntaxError("too much to be worked on");
    value = JSON.parse(switches.on("errors/json-repaired") ? repair(bytes.toString()) : bytes.toString());
  } catch {
    if (switches.on("settings/malformed-json-accepted") && schema.endsWith("-settings"))
      return { kind: "read", input: {} as Input };
    return refused(invalidField("body", "valid JSON in UTF-8", "malformed_json"));
  }
  const isSettingsChange = schema.endsWith("-settings");
  if (isSettingsChange && switches.on("settings/other-json-400") && (Array.isArray(value) || typeof value !== "object")) {
    return refused({ status: 400, code: "invalid_request", message: "The body has to be a JSON object." });
  }
  return validate<Input>(call, schema, operateOnBody(call, value));
}

/** What the defect `errors/empty-body-as-object` takes an empty body for. */
const emptyBodies: Readonly<Record<string, object>> = {
  chat: { model: "reference-chat", messages: [{ role: "user", content: "" }] },
};

/** What lenient parsers do: trailing commas vanish, missing braces appear. */
function repair(text: string): string {
  const trimmed = text.trim().replace(/,\s*([}\]])/g, "$1");
  const open = (trimmed.match(/\{/g)?.length ?? 0) - (trimmed.match(/\}/g)?.length ?? 0);
  const lists = (trimmed.match(/\[/g)?.length ?? 0) - (trimmed.match(/\]/g)?.length ?? 0);
  return trimmed.replace(/[,:]$/, "") + "]".repeat(Math.max(0, lists)) + "}".repeat(Math.max(0, open));
}

/** Validates a value that was already read: a body, the parts of a form, a query. */
export function validate<Input>(call: Call, schema: string, value: unknown): Read<Input> {
  const { switches } = call.service;
  const problems: readonly RequestProblem[] = [
    ...requestValidator(schema)(value).filter((problem) => !acceptedByDefect(switches, schema, problem)),
    ...rejectedByDefect(switches, schema, value),
  ];
  if (problems.length > 0) return refused(invalidRequest(problems));
  return { kind: "read", input: { ...defaultsByDefect(switches, schema), ...(value as object) } as Input };
}

/** The model of that name when it can do the work, else 404 for an unknown one and 422 for one of another kind. */
export function readModel(call: Call, id: string, kind: Model["kind"]): Read<Model> {
  const model = findModel(id);
  const { switches } = call.service;
  if (model === undefined) {
    if (switches.on("errors/unknown-model-422"))
      return refused(invalidField("model", `the id of a model for this endpoint (${kind})`));
    return refused(unknownModel(id));
  }
  if (model.kind !== kind) return refused(invalidField("model", `the id of a model for this endpoint (${kind})`));
  return { kind: "read", input: model };
}

function refused(problem: ReturnType<typeof invalidField>): {
  readonly kind: "refused";
  readonly problem: ReturnType<typeof invalidField>;
} {
  return { kind: "refused", problem };
}
