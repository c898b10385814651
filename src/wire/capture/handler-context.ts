import type { Clock } from "../../core/clock.ts";
import type { TransportError } from "../http/transport-error.ts";
import type { Redactor } from "../redaction/redaction.ts";
import type { ArrivalMeter } from "./arrival-meter.ts";
import type { CapturePolicy } from "./body-capture.ts";
import type { CaptureAccount } from "./capture-account.ts";

/** The parts that all exchanges of a wire share. */
export interface HandlerContext {
  readonly clock: Clock;
  readonly arrivals: ArrivalMeter;
  readonly redactor: Redactor;
  readonly policy: CapturePolicy;
  /** Bytes of a response body after which it is given up. */
  readonly maxResponseBytes: number;
  /** Events of a stream after which it is given up. */
  readonly maxEvents: number;
  readonly account: Pick<CaptureAccount, "take">;
  /** Bytes of memory that an event of so many characters takes once its stream is over and recorded. */
  readonly recordBytes: (characters: number) => number;
  /** How an answer ends that there is no room for; null: it is kept as far as it goes. */
  readonly lackOfRoom: TransportError | null;
  /** Asked right before a request is written; absent: it may. */
  readonly mayWrite?: () => boolean;
}
