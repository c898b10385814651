import type { SendRequest } from "../../src/core/exchange/send-request.ts";

/** The two HTTP clients of a wire, each by a stage that sends over it: what is reported of a target must not depend on which. */
export const bothClients: readonly { readonly client: string; readonly stage: SendRequest["stage"] }[] = [
  { client: "undici", stage: "conformance" },
  { client: "the client for load", stage: "load" },
];
