import type { EndpointId } from "../../../core/exchange/endpoint.ts";

/** One billed response; `atMs` is the instant of its admission, as for the caps. */
export interface UsageEvent {
  readonly atMs: number;
  readonly account: string;
  readonly keyId: string;
  readonly endpoint: EndpointId;
  readonly streaming: boolean;
  readonly aborted: boolean;
  readonly items: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costMicros: number;
}
