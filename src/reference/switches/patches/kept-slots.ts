import type { Ticket } from "../../engine/admission.ts";
import type { SeenCall } from "../../http/seen-call.ts";

/** Places of a key. */
const places = 8;

/** Places of each key that clients took with them when they left. */
export interface KeptSlots {
  areTaken(call: SeenCall): boolean;
  watch(call: SeenCall, ticket: Ticket): Ticket;
}

export function createKeptSlots(): KeptSlots {
  const kept = new Map<string, number>();
  const nameOf = ({ key }: SeenCall): string => key?.name ?? "";
  return {
    areTaken: (call) => call.endpoint === "chat" && (kept.get(nameOf(call)) ?? 0) >= places,
    watch: (call, ticket) => ({
      ...ticket,
      settle: (outcome) => {
        if (outcome.ended === "aborted") kept.set(nameOf(call), (kept.get(nameOf(call)) ?? 0) + 1);
        ticket.settle(outcome);
      },
    }),
  };
}
