import type { EndpointId } from "../../../../core/exchange/endpoint.ts";
import type { JsonAnswer } from "../../../http/error-shape.ts";
import type { SeenCall } from "../../../http/seen-call.ts";
import type { OperatorBystander } from "../../operators.ts";
import { keyPrefix } from "../key-prefix.ts";
import type { ActiveOperators } from "./active-operators.ts";

interface UsedUp {
  readonly answer: JsonAnswer;
  readonly authorization: string;
  readonly untilMs: number;
}

/** Limits that are asked before the key is compared: the refusal of one caller is that of others who present no valid key. */
export function refuseBystanders(active: ActiveOperators): {
  note(call: SeenCall, answer: JsonAnswer): void;
  refused(call: SeenCall): JsonAnswer | null;
} {
  const usedUp = new Map<EndpointId | null, UsedUp>();
  return {
    note: (call, answer) => {
      const untilMs = call.service.engine.clock.wallMs() + 1000 * Number(answer.headers["retry-after"] ?? 60);
      usedUp.set(call.endpoint, { answer, authorization: call.incoming.headers.authorization ?? "", untilMs });
    },
    refused: (call) => {
      const limit = usedUp.get(call.endpoint);
      if (limit === undefined || call.service.engine.clock.wallMs() >= limit.untilMs) return null;
      const isMeant = active(call).some((operator) => operator.kind === "limit-first" && isBystander(operator.who, call, limit));
      return isMeant ? limit.answer : null;
    },
  };
}

function isBystander(who: OperatorBystander, { incoming, service }: SeenCall, limit: UsedUp): boolean {
  const authorization = incoming.headers.authorization ?? "";
  switch (who) {
    case "everybody":
      return true;
    case "look-alikes":
      return keyPrefix(authorization) === keyPrefix(limit.authorization);
    case "former-keys":
      return service.engine.keys.bySecret(authorization.slice("Bearer ".length)) !== undefined;
    default:
      return who satisfies never;
  }
}
