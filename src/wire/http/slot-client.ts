import type { PreparedFields } from "./prepare-request.ts";
import type { ResponseHandler } from "./response-handler.ts";

/** A request as a client writes it. */
export interface SlotRequest {
  readonly method: string;
  readonly path: string;
  readonly fields: PreparedFields;
  readonly body: Buffer | null;
  /** Absent: all of the body is sent. */
  readonly part?: UploadPart;
  /** Time between the first half of the body and the second, ms; absent: none. */
  readonly holdMs?: number;
}

/** A client that goes away in the middle of its request. */
export interface UploadPart {
  readonly bytes: number;
  /** Called some time after they were written. */
  leave(): void;
}

/** An HTTP client that carries one request at a time over one connection, and opens another when that is gone. */
export interface SlotClient {
  dispatch(request: SlotRequest, handler: ResponseHandler): void;
  /** Closes the connection; a request under way ends with this error. */
  destroy(reason: Error): Promise<void>;
}
