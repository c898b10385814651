import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { LimitPurpose } from "../../core/exchange/limit-phase.ts";
import type { Distortion, SendBody, SendRequest } from "../../core/exchange/send-request.ts";

/** One request of a schedule; everything that is not said is the cheapest way to be counted. */
export type ExamRequest = ExamRequestFields & LimitPurpose;

interface ExamRequestFields {
  readonly key: string;
  readonly endpoint: EndpointId;
  readonly label?: string;
  readonly path?: string;
  readonly body?: SendBody;
  readonly headers?: Readonly<Record<string, string>>;
  /** Presents the key in another way. */
  readonly distortion?: Distortion;
  readonly connection?: SendRequest["connection"];
  readonly leaveAfterBytes?: number;
  readonly leaveUploadAfterBytes?: number;
  readonly holdUploadMs?: number;
  readonly timeoutMs?: number;
  /** Requests with the same name here have the same content. Absent: it has content that no other has. */
  readonly sameAs?: string;
  /**
   * Its instant decides what comes of it, as in a cooldown: an odd end is asked for again at once, since after a wait the request would
   * be sent in another state, and one that was not answered in its time may have waited in a queue.
   */
  readonly timedByInstant?: true;
}
