import type { ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import { loadCheck } from "./load-check.ts";

/** One member of a request that is not as it should be. */
export interface RequestProblem {
  /** `messages.0.role`; empty for the request as a whole. */
  readonly field: string;
  /** Form that the schema asks for, in words: its `description`. */
  readonly expected: string;
  /** Keyword of JSON Schema that failed: `required`, `type`, `enum`, `maximum` ... */
  readonly keyword: string;
}

/** Every problem of the value, each field once, at most as many as a reader can use. */
export type RequestValidator = (value: unknown) => readonly RequestProblem[];

const problemsAtMost = 50;

/** Validator of `schemas/wire/<name>.request.json`; types are never coerced. Throws when there is no such schema. */
export function requestValidator(name: string): RequestValidator {
  const check = loadCheck(`wire/${name}.request`, { verbose: true });
  return (value) => (check(value) ? [] : problemsOf(check));
}

/** Applicators report that one of their branches failed; the branch's own errors say what is wrong. */
const applicators: ReadonlySet<string> = new Set(["if", "anyOf", "oneOf", "allOf"]);

function problemsOf(check: ValidateFunction): readonly RequestProblem[] {
  const problems = new Map<string, RequestProblem>();
  for (const error of check.errors ?? []) {
    if (applicators.has(error.keyword)) continue;
    const problem = describe(error);
    if (!problems.has(problem.field)) problems.set(problem.field, problem);
    if (problems.size >= problemsAtMost) break;
  }
  // With the values that they name they would stay until the next request.
  check.errors = null;
  return [...problems.values()];
}

interface DescribedSchema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, DescribedSchema>>;
}

function describe(error: ErrorObject): RequestProblem {
  const schema = error.parentSchema as DescribedSchema | undefined;
  const path = error.instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (error.keyword !== "required") {
    return { field: path.join("."), expected: schema?.description ?? error.message ?? "another value", keyword: error.keyword };
  }
  const missing = String((error.params as { readonly missingProperty?: unknown }).missingProperty);
  const expected = schema?.properties?.[missing]?.description ?? "required";
  return { field: [...path, missing].join("."), expected, keyword: "required" };
}
