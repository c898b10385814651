import { factsOf } from "../../core/exchange/exchange-facts.ts";
import type { Sender } from "../../core/exchange/send-request.ts";
import type { Manifest } from "../../core/manifest.ts";
import { shapeOf } from "../../load/arrivals/arrival-kinds.ts";
import { loadKeyName } from "../../load/profile/load-key-name.ts";
import type { LoadProfile } from "../../load/profile/load-profile.ts";

/**
 * The manifest with the request limit that the target reports in its headers, for profiles whose bursts are sized by it; as it is
 * for all others, when the limit is declared, or when the target does not say.
 */
export async function learnRequestLimit(
  profile: LoadProfile,
  manifest: Manifest,
  sender: Pick<Sender, "send">,
): Promise<Manifest> {
  const shape = shapeOf(profile.arrivals);
  const learns = shape.name === "open" && shape.learnsLimit === true;
  if (!learns || manifest.limits.requestsPerMinute !== null) return manifest;
  const key = loadKeyName(profile.key, manifest);
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
