import type { SeenCall } from "./seen-call.ts";

/** Whether the caller wants events; also where the body was never read. */
export function asksForStream({ request, endpoint }: SeenCall): boolean {
  return endpoint === "chat" && Buffer.isBuffer(request.body) && /"stream"\s*:\s*true/.test(request.body.toString());
}
