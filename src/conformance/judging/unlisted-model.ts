import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import type { Manifest } from "../../core/manifest.ts";
import { isJsonObject, showValue } from "./json-value.ts";

const uses: Readonly<Partial<Record<EndpointId, keyof Manifest["models"]>>> = {
  chat: "chat",
  embeddings: "embedding",
  transcriptions: "transcription",
};

/** The words for an operation whose model, as the manifest names it, is missing in every list that was read; null where it is listed or none was. */
export function findUnlistedModel(
  endpoint: EndpointId,
  { models }: Pick<Manifest, "models">,
  exchanges: readonly ExchangeFacts[],
): string | null {
  const use = uses[endpoint];
  const model = use === undefined ? null : models[use];
  if (model === null) return null;
  const listed = exchanges.flatMap((exchange) => {
    const data = exchange.endpoint === "models" && exchange.isSuccess ? exchange.responseObject?.["data"] : null;
    return Array.isArray(data) ? data.map((entry: unknown) => (isJsonObject(entry) ? entry["id"] : undefined)) : [];
  });
  // An entry without an identifier could be any model.
  if (listed.length === 0 || !listed.every((id) => typeof id === "string") || listed.includes(model)) return null;
  return `the model ${showValue(model, 80)}, which models.${use} of the manifest names, is refused and not listed: name a model of GET /v1/models`;
}
