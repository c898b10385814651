import { type ConnectionRules, lawfulConnectionRules } from "../../http/connection-rules.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";

export function patchConnectionRules(switches: Switchboard): ConnectionRules {
  const { requestsAtMost, idleMs } = lawfulConnectionRules;
  return {
    requestsAtMost: firstChange(switches, requestsAtMost, { "transport/few-requests-per-connection": () => 20 }),
    idleMs: firstChange(switches, idleMs, { "transport/short-keep-alive": () => 1_000 }),
  };
}
