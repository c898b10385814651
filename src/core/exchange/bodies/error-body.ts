import { isJsonObject } from "./recorded-json.ts";

/**
 * An error body in either of the two shapes of the specification (section "Errors"), read as far as it can be read.
 * `coded`: `error` is an object. `quota`: `error` is a string. `mixed`: members of both shapes. `other`: neither.
 */
export interface ErrorBody {
  readonly shape: "coded" | "quota" | "mixed" | "other";
  /** The string in `error`, as the quota shape has it. */
  readonly error: string | null;
  /** `error.code`; a number is kept as text, since targets send the status there. */
  readonly code: string | null;
  readonly message: string | null;
  readonly capType: string | null;
}

const other: ErrorBody = { shape: "other", error: null, code: null, message: null, capType: null };

/** Reads a parsed JSON value; pass `undefined` when the body is not JSON. */
export function readErrorBody(value: unknown): ErrorBody {
  if (!isJsonObject(value)) return other;
  const error = value["error"];
  const capType = textOrNull(value["cap_type"]);
  if (typeof error === "string") {
    const hasCodedMembers = "code" in value || "details" in value;
    return { shape: hasCodedMembers ? "mixed" : "quota", error, code: null, message: null, capType };
  }
  if (!isJsonObject(error)) return other;
  const hasQuotaMembers = "retry_after_ms" in value || "cap_type" in value;
  const code = error["code"];
  return {
    shape: hasQuotaMembers ? "mixed" : "coded",
    error: null,
    code: typeof code === "string" || typeof code === "number" ? String(code) : null,
    message: textOrNull(error["message"]),
    capType,
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
