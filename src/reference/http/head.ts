import type { RateHeaders } from "../engine/admission.ts";

/** Status line and fields of an answer, before anything is written. */
export interface Head {
  readonly status: number;
  readonly contentType: string;
  /** null: chunked, or no body. */
  readonly length: number | null;
  readonly rate: RateHeaders;
  readonly headers: Readonly<Record<string, string>>;
}
