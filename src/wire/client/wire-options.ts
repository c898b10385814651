import type { Clock } from "../../core/clock.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { CaptureAccount } from "../capture/capture-account.ts";
import type { Budget } from "../budget/budget.ts";

export interface WireOptions {
  readonly manifest: Manifest;
  readonly clock: Clock;
  readonly budget?: Budget;
  /** Called with every finished exchange, in the order in which they finish. */
  readonly onExchange?: (exchange: Exchange) => void;
  /** Gives sequence numbers when several wires share a run; counts from 1 by default. */
  readonly nextSeq?: () => number;
  /** Bytes of text kept of one body (1 MiB); bodies that are no text keep a sixteenth of it. */
  readonly captureBytes?: number;
  /** Whether SHA-256 of bodies is computed, `sha256` is empty otherwise; by default for all stages but load. */
  readonly digests?: boolean;
  /** Bytes of a response body after which it is given up (as the manifest says). */
  readonly maxResponseBytes?: number;
  /** The account of answers that the run keeps, shared by its wires. */
  readonly account?: CaptureAccount;
  /** Bytes that answers of load may take while they are under way (256 MiB); they are not kept. */
  readonly loadBytes?: number;
  /** Pooled connections at a time; further requests wait (256). */
  readonly maxConnections?: number;
  /** For TCP and TLS of one connection (10 s); never longer than a request may take. */
  readonly connectTimeoutMs?: number;
  /** Aborts what is in flight and refuses what comes after. */
  readonly signal?: AbortSignal;
  /** Asked when a connection is there, right before the bytes are written; false ends the request unsent. */
  readonly mayWrite?: () => boolean;
}
