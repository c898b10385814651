import type { Problem } from "../../http/problem.ts";
import type { Switchboard } from "../switch.ts";

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
export function wrongStatus({ status, code }: Problem, switches: Switchboard): number | null {
  const habit = habits.find(([id, right, , only = code]) => right === status && only === code && switches.on(id));
  if (habit !== undefined) return habit[2];
  return status === 422 && code !== "malformed_json" && switches.on("errors/200-with-error-body") ? 200 : null;
}
