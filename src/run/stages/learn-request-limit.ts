import type { Manifest } from "../../core/manifest.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import type { Sender } from "../../core/exchange/send-request.ts";

/**
 * The manifest with the request limit that the target reports in its headers, for profiles whose bursts are sized by it; as it is
 * when the limit is declared or the target does not say.
 */
export async function learnRequestLimit(manifest: Manifest, key: string, sender: Sender): Promise<Manifest> {
  if (manifest.limits.requestsPerMinute !== null) return manifest;
  const exchange = await sender.send({
    stage: "setup",
    caseId: "learn-request-limit",
    label: key,
    intent: { kind: "housekeeping", purpose: "size of bursts" },
    endpoint: "models",
    method: "GET",
    path: "/v1/models",
    credential: { kind: "bearer", key },
  });
  const { limit } = factsOf(exchange).rateLimit.requests;
  return limit === null ? manifest : { ...manifest, limits: { ...manifest.limits, requestsPerMinute: limit } };
}
