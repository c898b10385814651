import { type ConnectionRules, lawfulConnectionRules } from "../../http/connection-rules.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";
import type { RequestsUnderWay } from "./requests-under-way.ts";

/** Defects that ask which requests are under way. */
const countsUnderWay = ["limits/overlapping-let-in", "tokens/shared-under-load", "burst/shared-under-load"];

export function patchConnectionRules(switches: Switchboard, underWay: RequestsUnderWay): ConnectionRules {
  const { requestsAtMost, idleMs, asksForBody, routed } = lawfulConnectionRules;
  return {
    requestsAtMost: firstChange(switches, requestsAtMost, { "transport/few-requests-per-connection": () => 20 }),
    routed: firstChange(switches, routed, {
      "transport/paths-as-written": (path) => ofName(path, (name) => name.replaceAll("%", "%25")),
      "transport/paths-normalized": (path) =>
        ofName(path, (name) => name.replaceAll(/%2f/gi, "/").replace(/^\/+/, "/").replaceAll("/./", "/")),
    }),
    asksForBody: firstChange(switches, asksForBody, { "transport/expectation-ignored": () => false }),
    arrived: (incoming, response) => {
      if (countsUnderWay.some((id) => switches.on(id))) underWay.arrived(incoming, response);
    },
    idleMs: firstChange(switches, idleMs, { "transport/short-keep-alive": () => 1_000 }),
  };
}

/** Changes a path and leaves its query. */
function ofName(path: string, change: (name: string) => string): string {
  return path.replace(/^[^?]*/, change);
}
