import { isJsonObject } from "./recorded-json.ts";

/**
 * An error body in either of the two shapes of the specification (section "Errors"), read as far as it can be read.
 * `coded`: `error` is an object with `code`. `quota`: `error` is a string beside `retry_after_ms` and `cap_type`.
 * `mixed`: members of both shapes. `other`: neither, `problem` says why.
 */
export interface ErrorBody {
  readonly shape: "coded" | "quota" | "mixed" | "other";
  /** `error.code` when it is a string that is not empty. */
  readonly code: string | null;
  readonly message: string | null;
  /** `error.details`: null when absent; entries that name no field are kept with `field: null`. */
  readonly details: readonly ErrorDetail[] | null;
  /** The string in `error`, for the quota shape. */
  readonly error: string | null;
  readonly capType: string | null;
  readonly problem: string | null;
}

export interface ErrorDetail {
  /** Request member at fault: `messages[0].role`, null when the entry names none. */
  readonly field: string | null;
  /** What was expected there, in the words of the target. */
  readonly expected: string | null;
}

/** Reads a parsed JSON value; pass `undefined` when the body is not JSON. */
export function readErrorBody(value: unknown): ErrorBody {
  if (value === undefined) return other("the body is not JSON");
  if (!isJsonObject(value)) return other("the body is not a JSON object");
  const error = value["error"];
  const hasQuotaMembers = "retry_after_ms" in value || "cap_type" in value;
  const capType = textOrNull(value["cap_type"]);
  if (typeof error === "string") {
    const hasCodedMembers = "code" in value || "details" in value;
    const shape = hasCodedMembers ? "mixed" : "quota";
    const problem = hasCodedMembers ? "error is a string beside code or details" : null;
    return { shape, code: null, message: null, details: readDetails(value["details"]), error, capType, problem };
  }
  if (isJsonObject(error)) {
    const code = textOrNull(error["code"]);
    return {
      shape: hasQuotaMembers ? "mixed" : "coded",
      code,
      message: textOrNull(error["message"]),
      details: readDetails(error["details"]),
      error: null,
      capType,
      problem: code === null ? codeProblem(error) : null,
    };
  }
  return other("error" in value ? "error is neither an object nor a string" : "there is no member error");
}

function codeProblem(error: Readonly<Record<string, unknown>>): string {
  if (!("code" in error)) return "error.code is missing";
  return error["code"] === "" ? "error.code is empty" : `error.code is ${jsonType(error["code"])}`;
}

function other(problem: string): ErrorBody {
  return { shape: "other", code: null, message: null, details: null, error: null, capType: null, problem };
}

const fieldNames = ["field", "param", "path", "loc", "name", "property", "instancePath"];
const expectedNames = ["expected", "expected_format", "format", "message", "msg", "reason", "description", "allowed"];

/** The specification fixes no member names for an entry of `details`: common ones are read, strings are taken as fields. */
function readDetails(details: unknown): readonly ErrorDetail[] | null {
  if (!Array.isArray(details)) return null;
  return details.map((entry: unknown): ErrorDetail => {
    if (typeof entry === "string") return { field: entry, expected: null };
    if (!isJsonObject(entry)) return { field: null, expected: null };
    return { field: firstText(entry, fieldNames), expected: firstText(entry, expectedNames) };
  });
}

function firstText(entry: Readonly<Record<string, unknown>>, names: readonly string[]): string | null {
  for (const name of names) {
    const value = entry[name];
    if (typeof value === "string" && value !== "") return value;
    if (Array.isArray(value) && value.length > 0) return value.map(String).join(".");
    if (isJsonObject(value)) return JSON.stringify(value);
  }
  return null;
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function jsonType(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `of type ${typeof value}`;
}
