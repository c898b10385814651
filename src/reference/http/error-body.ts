import type { Switchboard } from "../defects/switch.ts";
import type { Detail, Problem } from "./problem.ts";

/** The error shape of the specification: `error.code`, and `error.details` exactly when validation failed. */
export function errorBody(problem: Problem, switches: Switchboard, requestId: string): unknown {
  const { status, message } = problem;
  if (switches.on("errors/flat")) return { object: "error", message, type: problem.code, code: status };
  if (switches.on("errors/string")) return { error: message, error_type: problem.code };
  if (switches.on("errors/string-on-401") && status === 401) return { error: "Unauthorized" };
  if (switches.on("errors/message-only")) return { message };
  if (switches.on("errors/array")) return [{ error: { code: problem.code, message } }];
  return { error: errorMember(problem, switches, requestId) };
}

function errorMember(problem: Problem, switches: Switchboard, requestId: string): Readonly<Record<string, unknown>> {
  const { status, code, message } = problem;
  const details = problem.details === undefined ? undefined : detailsMember(problem, problem.details, switches);
  return {
    ...(codeMember(status, code, switches, requestId) satisfies object),
    message,
    ...(details === undefined ? {} : { details }),
    ...(switches.on("transport/extra-members") ? { docs: "https://example.com/errors", request_id: requestId } : {}),
    ...(switches.on("errors/stack-trace") ? { stack: `Error: ${message}\n    at handle (/srv/app/src/server.js:42:13)` } : {}),
    ...(switches.on("errors/details-null-elsewhere") && details === undefined ? { details: null } : {}),
  };
}

function codeMember(status: number, code: string, switches: Switchboard, requestId: string): object {
  if (switches.on("errors/code-missing")) return {};
  if (switches.on("errors/code-missing-on-404") && status === 404) return {};
  if (switches.on("errors/code-null")) return { code: null };
  if (switches.on("errors/code-empty")) return { code: "" };
  if (switches.on("errors/code-number")) return { code: status };
  if (switches.on("errors/code-unstable") && status !== 404) return { code: `${code}_${requestId.slice(-4)}` };
  if (switches.on("errors/quota-shape-everywhere")) return { type: "quota_exceeded" };
  return { code };
}

/** `details` with every failing member, or as the active defect or lawful variant writes it. */
function detailsMember({ code }: Problem, details: readonly Detail[], switches: Switchboard): unknown {
  if (code === "malformed_json" && switches.on("errors/details-empty-for-malformed-json")) return [];
  if (switches.on("errors/details-missing")) return undefined;
  if (switches.on("errors/details-empty")) return [];
  if (switches.on("errors/details-object")) return Object.fromEntries(details.map(({ field, expected }) => [field, expected]));
  if (switches.on("errors/details-first-only")) return details.slice(0, 1);
  if (switches.on("errors/details-without-field")) return details.map(({ expected }) => ({ expected: expected.length }));
  if (switches.on("errors/details-without-expected")) return details.map(({ field }) => ({ field }));
  if (switches.on("errors/details-other-names")) {
    return details.map(({ field, expected }) => ({ loc: ["body", ...field.split(".")], msg: `should be ${expected}` }));
  }
  return details;
}

/** Status as the service answers it; the wrong ones are habits of real servers. */
export function answeredStatus(problem: Problem, switches: Switchboard): number {
  const { status, code } = problem;
  switch (status) {
    case 401:
      if (switches.on("auth/401-as-403")) return 403;
      return switches.on("auth/401-as-400") ? 400 : 401;
    case 402:
      if (switches.on("auth/402-as-403")) return 403;
      return switches.on("auth/402-as-429") ? 429 : 402;
    case 403:
      if (switches.on("auth/403-as-401")) return 401;
      return switches.on("auth/403-as-404") ? 404 : 403;
    case 404:
      if (code === "method_not_supported" && switches.on("errors/405-for-methods")) return 405;
      return switches.on("errors/404-as-400") ? 400 : 404;
    case 422:
      if (code === "unsupported_media_type" && switches.on("errors/415-for-media-types")) return 415;
      if (switches.on("errors/400-for-422")) return 400;
      if (code === "malformed_json") {
        if (switches.on("errors/malformed-json-500")) return 500;
        return switches.on("errors/malformed-json-400") ? 400 : 422;
      }
      return switches.on("errors/200-with-error-body") ? 200 : 422;
    case 500:
      return switches.on("errors/500-as-200") ? 200 : 500;
    default:
      return status;
  }
}
