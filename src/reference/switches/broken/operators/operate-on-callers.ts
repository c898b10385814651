import type { Identification } from "../../../engine/admission.ts";
import { keyStateAt, type KeyRecord } from "../../../engine/keys/key-record.ts";
import type { Caller, CallerRules } from "../../../http/caller-rules.ts";
import type { Operator } from "./operators.ts";

/** Callers whose keys one class of endpoints takes for valid although they are not, or refuses although they are. */
export function operateOnCallers(callers: CallerRules, operators: () => readonly Operator[]): CallerRules {
  return {
    ...callers,
    identification: (identified, caller) => {
      const found = callers.identification(identified, caller);
      for (const operator of operators()) {
        if (operator.kind !== "admits" && operator.kind !== "bars") continue;
        if (operator.endpoint !== caller.endpoint || (operator.form === "streamed") !== caller.asksForStream()) continue;
        if (operator.kind === "bars" && found.kind === "known" && found.key.name === "replacement") return invalid;
        const owner = operator.kind === "admits" && found.kind === "refused" ? ownerOf(operator.state, caller) : null;
        if (owner !== null) return { kind: "known", key: owner };
      }
      return found;
    },
  };
}

const invalid: Identification = {
  kind: "refused",
  refusal: { status: 401, code: "invalid_api_key", message: "The API key is not valid." },
};

/** The key record that a key in this state is let through as; null: the caller presents none. */
function ownerOf(state: "unknown" | "expired" | "revoked", { authorization, keys, nowMs }: Caller): KeyRecord | null {
  const secret = /^Bearer (\S+)$/.exec(authorization ?? "")?.[1];
  if (secret === undefined) return null;
  const presented = keys.bySecret(secret);
  if (state === "unknown") return presented === undefined ? (keys.byName("primary") ?? null) : null;
  return presented !== undefined && keyStateAt(presented, nowMs) === state ? presented : null;
}
