import { isUtf8 } from "node:buffer";
import { findBeyond } from "../../core/exchange/bodies/bounded-json.ts";
import { requestValidator } from "../../schemas/request-schemas.ts";
import { findModel, type Model } from "../content/models.ts";
import type { Call } from "./call.ts";
import { invalidField, invalidRequest, type Problem } from "./problem.ts";
import type { Read } from "./operation.ts";

/** Bodies below this size are not checked for bounds: they cannot hold enough values to matter. */
const unboundedBytes = 2 ** 18;

/**
 * The JSON body, parsed strictly (RFC 8259 in UTF-8) and validated without coercion against `schemas/wire/<schema>.request.json`.
 * Every mistake is a 422: another media type, no body, malformed JSON, or failing members, all of which are listed.
 */
export function readJson<Input>(call: Call, schema: string): Read<Input> {
  const { reading } = call.service.seams;
  const bytes = Buffer.isBuffer(call.request.body) ? call.request.body : Buffer.alloc(0);
  if (bytes.length === 0) {
    const meant = reading.emptyBody(schema);
    return meant === null
      ? refused(invalidField("body", "a JSON object", "malformed_json"))
      : validate<Input>(call, schema, meant);
  }
  const mediaTypeProblem = reading.mediaTypeProblem(call.incoming.headers["content-type"] ?? "");
  if (mediaTypeProblem !== null) return refused(mediaTypeProblem);
  let value: unknown;
  try {
    if (!isUtf8(bytes)) throw new SyntaxError("not UTF-8");
    if (bytes.length > unboundedBytes && findBeyond(bytes.toString()) !== null) throw new SyntaxError("too much to be worked on");
    value = JSON.parse(reading.text(bytes.toString()));
  } catch {
    const meant = reading.malformedBody(schema);
    if (meant !== null) return { kind: "read", input: meant as Input };
    return refused(invalidField("body", "valid JSON in UTF-8", "malformed_json"));
  }
  const valueProblem = reading.valueProblem(value, schema);
  if (valueProblem !== null) return refused(valueProblem);
  return validate<Input>(call, schema, reading.value(value, call));
}

/** Validates a value that was already read: a body, the parts of a form, a query. */
export function validate<Input>(call: Call, schema: string, value: unknown): Read<Input> {
  const { reading } = call.service.seams;
  const problems = reading.problems(requestValidator(schema)(value), schema, value);
  if (problems.length > 0) return refused(invalidRequest(problems));
  return { kind: "read", input: { ...reading.defaults(schema), ...(value as object) } as Input };
}

/** The model of that name when it can do the work, else 404 for an unknown one and 422 for one of another kind. */
export function readModel(call: Call, id: string, kind: Model["kind"]): Read<Model> {
  const model = findModel(id);
  if (model === undefined) return refused(call.service.seams.reading.unknownModel(id, kind));
  if (model.kind !== kind) return refused(invalidField("model", `the id of a model for this endpoint (${kind})`));
  return { kind: "read", input: model };
}

function refused(problem: Problem): { readonly kind: "refused"; readonly problem: Problem } {
  return { kind: "refused", problem };
}
