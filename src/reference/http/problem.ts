import type { RequestProblem } from "../../schemas/request-schemas.ts";
import type { RefusalCode } from "../engine/refusal.ts";

/** An error response to be: everything but rate limits, whose responses the engine writes. */
export interface Problem {
  readonly status: number;
  readonly code: ProblemCode;
  readonly message: string;
  /** Failing members of the request; present exactly with 422. */
  readonly details?: readonly Detail[];
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Detail {
  readonly field: string;
  readonly expected: string;
}

export type ProblemCode =
  | RefusalCode
  | "expectation_failed"
  | "length_required"
  | "malformed_json"
  | "invalid_request"
  | "unsupported_media_type"
  | "body_too_large"
  | "route_not_found"
  | "method_not_supported"
  | "model_not_found"
  | "internal_error"
  | "bad_gateway"
  | "service_unavailable";

/** 422 for members that fail validation (spec, Errors): every one of them is listed with the form it should have. */
export function invalidRequest(problems: readonly RequestProblem[]): Problem {
  const names = problems.map(({ field }) => (field === "" ? "body" : field));
  return {
    status: 422,
    // A body that is no object at all is as malformed as one that is no JSON.
    code: names.includes("body") ? "malformed_json" : "invalid_request",
    message: `Not as expected: ${names.join(", ")}.`,
    details: problems.map(({ field, expected }) => ({ field: field === "" ? "body" : field, expected })),
  };
}

/** 422 with a single cause that no schema expresses. */
export function invalidField(field: string, expected: string, code: ProblemCode = "invalid_request"): Problem {
  return { status: 422, code, message: `Not as expected: ${field}.`, details: [{ field, expected }] };
}

/** Unknown model: treated like any other id that does not exist (reading AMB-06 accepts every 4xx). */
export function unknownModel(id: string): Problem {
  return { status: 404, code: "model_not_found", message: `The model ${JSON.stringify(id.slice(0, 100))} does not exist.` };
}

export const routeNotFound: Problem = { status: 404, code: "route_not_found", message: "There is no such route." };
/** The path exists for another method. The specification has no status of its own for that (reading AMB-26). */
export const methodNotSupported: Problem = {
  status: 404,
  code: "method_not_supported",
  message: "There is no such route for this method.",
};

/** The error of the service for a status (spec, Errors); 503 names a wait of 30 to 120 seconds. */
export function serverProblem(status: number, retryAfterSeconds: number = 30): Problem {
  switch (status) {
    case 502:
      return { status, code: "bad_gateway", message: "The model server gave an invalid response." };
    case 503:
      return {
        status,
        code: "service_unavailable",
        message: "The service is overloaded or in maintenance.",
        headers: { "retry-after": String(retryAfterSeconds) },
      };
    default:
      return { status, code: "internal_error", message: "Something unexpected happened." };
  }
}
