import type { Ticket } from "../../engine/admission.ts";
import type { SeenCall } from "../../http/seen-call.ts";

/** Places of each key that clients took with them when they left. */
export interface KeptSlots {
  areTaken(call: SeenCall): boolean;
  watch(call: SeenCall, ticket: Ticket): Ticket;
}

/** `places` of a key, each of which a client that left keeps for `keptMs`. */
export function createKeptSlots(places: number, keptMs: number): KeptSlots {
  const kept = new Map<string, readonly number[]>();
  const untilOf = ({ key, service }: SeenCall): readonly number[] => {
    const nowMs = service.engine.clock.wallMs();
    return (kept.get(key?.name ?? "") ?? []).filter((untilMs) => untilMs > nowMs);
  };
  return {
    areTaken: (call) => call.endpoint === "chat" && untilOf(call).length >= places,
    watch: (call, ticket) => ({
      ...ticket,
      settle: (outcome) => {
        const untilMs = call.service.engine.clock.wallMs() + keptMs;
        if (outcome.ended === "aborted") kept.set(call.key?.name ?? "", [...untilOf(call), untilMs]);
        ticket.settle(outcome);
      },
    }),
  };
}
