import type { ErrorAnswer } from "../../../http/error-shape.ts";
import type { SeenCall } from "../../../http/seen-call.ts";
import type { ActiveOperators } from "./active-operators.ts";
import { type Crowd, isInCompany } from "./crowd.ts";

type JsonAnswer = Extract<ErrorAnswer, { readonly json: unknown }>;

/** Refusals in company of requests that are being served: turned into successes, or taken for one another. null: as it is. */
export function confuseRefusals(
  active: ActiveOperators,
  crowd: Crowd,
): (call: SeenCall, answer: JsonAnswer) => JsonAnswer | null {
  let before: JsonAnswer | null = null;
  return (call, answer) => {
    const operator = active(call).find(({ kind }) => kind === "company");
    if (operator?.kind !== "company" || !isInCompany(crowd)) return null;
    const earlier = before;
    before = answer;
    if (operator.defect === "served") return { ...answer, status: 200, json: { object: "ok" } };
    return operator.defect === "swapped" ? earlier : null;
  };
}
