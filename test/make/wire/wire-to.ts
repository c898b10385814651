import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { createWire, type Wire } from "../../../src/wire/client/wire.ts";
import type { WireOptions } from "../../../src/wire/client/wire-options.ts";
import { keep } from "../keep.ts";
import { testManifest } from "../test-manifest.ts";

export const modelsRequest: SendRequest = {
  stage: "conformance",
  caseId: "test/wire",
  label: "request",
  intent: { kind: "valid" },
  endpoint: "models",
  method: "GET",
  path: "/v1/models",
  credential: { kind: "bearer", key: "primary" },
};

export const streamedChat: SendRequest = {
  ...modelsRequest,
  endpoint: "chat",
  method: "POST",
  path: "/v1/chat/completions",
  body: { kind: "json", value: { stream: true } },
};

/** A wire to a server of the running test. */
export function wireTo(url: string, options: Partial<WireOptions> & { readonly timeoutMs?: number } = {}): Wire {
  const { timeoutMs, ...others } = options;
  const manifest = testManifest(url, timeoutMs === undefined ? {} : { timeoutMs });
  return keep(createWire({ manifest, clock: createRealClock(), ...others }));
}
