import type { EngineSeams } from "./engine/engine-seams.ts";
import type { HttpSeams } from "./http/http-seams.ts";

/** The places at which the service can be made to behave otherwise: each a small interface beside its correct part. */
export interface Seams {
  readonly engine: EngineSeams;
  readonly http: HttpSeams;
}
