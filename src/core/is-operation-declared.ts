import { type EndpointId, endpoints } from "./exchange/endpoint.ts";
import type { Manifest } from "./manifest.ts";

/** A whole operation may be declared absent: `features: { images: false }`. */
export function isOperationDeclared(endpoint: EndpointId, { features }: Pick<Manifest, "features">): boolean {
  return features[endpoint] !== false && endpoints[endpoint] !== undefined;
}
