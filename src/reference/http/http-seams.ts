import type { ModelListShape } from "./endpoints/model-list-shape.ts";

/** Seams of routes and bodies by domain. */
export interface HttpSeams {
  readonly models: ModelListShape;
}
