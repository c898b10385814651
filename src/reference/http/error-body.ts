import type { ErrorShape } from "./error-shape.ts";
import type { Problem } from "./problem.ts";

/** The error shape of the specification: `error.code`, and `error.details` exactly when validation failed. */
export function errorBody(problem: Problem, shape: ErrorShape, requestId: string): unknown {
  const { code, message } = problem;
  const details = problem.details === undefined ? undefined : shape.details(problem.details, problem);
  const error = { code, message, ...(details === undefined ? {} : { details }) };
  return shape.body({ error: shape.error(error, problem, requestId) }, problem);
}
