import type { HeaderList } from "../../core/exchange/headers/header-list.ts";

/** The events that an HTTP client reports while it carries one request. */
export interface ResponseHandler {
  /** The request is about to be written; it may be given up from now on. */
  onConnect(request: Abortable): void;
  /** The socket was read: `bytes`, null where the client does not say. Comes first, before anything is done with them. */
  onRead(bytes: number | null): void;
  /** Head of the final response; `version`: the one that it names, where the client says. */
  onHead(status: number, headers: HeaderList, version?: string): void;
  /**
   * A piece of the body, without transfer coding. `lasting`: its memory keeps its content until the response is complete;
   * otherwise only until the call returns.
   */
  onData(piece: Buffer, lasting: boolean): void;
  onComplete(): void;
  /** There will be no complete response. */
  onError(error: unknown): void;
}

export interface Abortable {
  /** Ends the request with this error, which `onError` receives, and closes its connection. */
  abort(error: Error): void;
}
