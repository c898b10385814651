import { type ErrorShape, lawfulErrorShape } from "../../http/error-shape.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";
import { patchErrorAnswers } from "./patch-error-answers.ts";
import type { Problem } from "../../http/problem.ts";

type Members = Readonly<Record<string, unknown>>;

export function patchErrorShape(switches: Switchboard): ErrorShape {
  const lawful = lawfulErrorShape;
  const detailed = firstChange(switches, lawful.details, {
    "errors/details-missing": () => undefined,
    "errors/details-empty": () => [],
    "errors/details-object": (details) => Object.fromEntries(details.map(({ field, expected }) => [field, expected])),
    "errors/details-first-only": (details) => details.slice(0, 1),
    "errors/details-without-field": (details) => details.map(({ expected }) => ({ expected: expected.length })),
    "errors/details-without-expected": (details) => details.map(({ field }) => ({ field })),
    "errors/details-other-names": (details) =>
      details.map(({ field, expected }) => ({ loc: ["body", ...field.split(".")], msg: `should be ${expected}` })),
  });
  const coded = firstChange(switches, lawful.error, {
    "errors/code-missing": withoutCode,
    "errors/code-missing-on-404": (error, { status }) => (status === 404 ? withoutCode(error) : error),
    "errors/code-null": (error) => ({ ...error, code: null }),
    "errors/code-empty": (error) => ({ ...error, code: "" }),
    "errors/quota-shape-everywhere": (error) => ({ type: "quota_exceeded", ...withoutCode(error) }),
    "errors/code-number": (error, { status }) => ({ ...error, code: status }),
    "errors/code-unstable": (error, { status, code }, requestId) =>
      status === 404 ? error : { ...error, code: `${code}_${requestId.slice(-4)}` },
  });
  return {
    ...lawful,
    details: (details, problem) =>
      problem.code === "malformed_json" && switches.on("errors/details-empty-for-malformed-json")
        ? []
        : detailed(details, problem),
    error: (error, problem, requestId) => ({
      ...coded(error, problem, requestId),
      ...(switches.on("transport/extra-members") ? { docs: "https://example.com/errors", request_id: requestId } : {}),
      ...(switches.on("errors/stack-trace")
        ? { stack: `Error: ${problem.message}\n    at handle (/srv/app/src/server.js:42:13)` }
        : {}),
      ...(switches.on("errors/details-null-elsewhere") && error["details"] === undefined ? { details: null } : {}),
    }),
    body: firstChange(switches, lawful.body, {
      "errors/flat": (_, { message, code, status }) => ({ object: "error", message, type: code, code: status }),
      "errors/string": (_, { message, code }) => ({ error: message, error_type: code }),
      "errors/string-on-401": (body, { status }) => (status === 401 ? { error: "Unauthorized" } : body),
      "errors/message-only": (_, { message }) => ({ message }),
      "errors/array": (_, { message, code }) => [{ error: { code, message } }],
    }),
    status: (problem) => wrongStatus(problem, switches) ?? lawful.status(problem),
    ...patchErrorAnswers(switches),
  };
}

function withoutCode({ code: _code, ...rest }: Members): Members {
  return rest;
}

type WrongStatus = readonly [id: string, right: number, wrong: number, code?: Problem["code"]];

/** Habits of real servers. */
const habits: readonly WrongStatus[] = [
  ["auth/401-as-403", 401, 403],
  ["auth/401-as-400", 401, 400],
  ["auth/402-as-403", 402, 403],
  ["auth/402-as-429", 402, 429],
  ["auth/403-as-401", 403, 401],
  ["auth/403-as-404", 403, 404],
  ["errors/405-for-methods", 404, 405, "method_not_supported"],
  ["errors/404-as-400", 404, 400],
  ["errors/415-for-media-types", 422, 415, "unsupported_media_type"],
  ["errors/400-for-422", 422, 400],
  ["errors/malformed-json-500", 422, 500, "malformed_json"],
  ["errors/malformed-json-400", 422, 400, "malformed_json"],
  ["errors/500-as-200", 500, 200],
];

/** The status that a defect or another lawful reading answers; null: none is on. */
function wrongStatus({ status, code }: Problem, switches: Switchboard): number | null {
  const habit = habits.find(([id, right, , only = code]) => right === status && only === code && switches.on(id));
  if (habit !== undefined) return habit[2];
  return status === 422 && code !== "malformed_json" && switches.on("errors/200-with-error-body") ? 200 : null;
}
