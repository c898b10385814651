import type { EndpointId } from "./endpoint.ts";
import type { Exchange } from "./exchange.ts";
import type { Intent } from "./intent.ts";

/** One request as a case, probe schedule or load profile asks for it; secrets are only named. */
export interface SendRequest {
  readonly stage: Exchange["stage"];
  readonly caseId: string;
  readonly label: string;
  readonly intent: Intent;
  readonly endpoint: EndpointId | null;
  readonly method: string;
  /** Path and query below the base URL, or an absolute http(s) URL (fetched images; never carries a credential). */
  readonly path: string;
  readonly credential: Credential;
  /** Fields beside the generated ones; a name given here replaces the generated field. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: SendBody;
  /** Until the response head; default from the manifest. */
  readonly timeoutMs?: number;
  /** Until the last byte. */
  readonly totalTimeoutMs?: number;
  /**
   * The client goes away once so many bytes of the answer's content have come, as a user who closes the window; 0: with the head;
   * absent: it stays.
   */
  readonly leaveAfterBytes?: number;
  /** The client goes away once so many events of a stream have come; absent: it stays. */
  readonly leaveAfterEvents?: number;
  /** The client goes away so many milliseconds after it has sent its request, whatever has come by then; absent: it stays. */
  readonly leaveAfterMs?: number;
  /** The client goes away when it has sent so many bytes of its body, and no more follow; absent: it sends all. */
  readonly leaveUploadAfterBytes?: number;
  /**
   * The second half of its body follows so many milliseconds after the first: until then a service that reads bodies cannot answer it, and
   * it is under way. Absent: at once.
   */
  readonly holdUploadMs?: number;
  readonly intendedMs?: number;
  /** `pooled`: any warm connection. `fresh`: a new one, closed after. A number: always the connection of that number. */
  readonly connection?: "pooled" | "fresh" | number;
  readonly attempt?: number;
  readonly retryOf?: number;
  /** Worst case that is reserved in the budget before anything is sent. */
  readonly reserve?: { readonly tokens: number; readonly costUsd: number };
  readonly signal?: AbortSignal;
  /** Called right before its bytes are written: it may have waited for a connection. */
  readonly onWrite?: () => void;
  /** Load: called when the answer has ended, before anything of it is read. A sender that does not call it shows the end by the exchange. */
  readonly onEnd?: (end: RequestEnd) => void;
  /** Sent, and counted, even where a budget is used up: it puts back what the run has changed. */
  readonly required?: true;
}

/** All that is known of an answer that nobody has read. */
export interface RequestEnd {
  /** Null where no response head came. */
  readonly status: number | null;
  readonly failed: boolean;
  /** The client went away on purpose. */
  readonly left: boolean;
  /** On the run clock. */
  readonly endMs: number;
}

export type SendBody =
  | { readonly kind: "json"; readonly value: unknown }
  /** Bytes as they are: malformed JSON, pre-serialized load bodies. */
  | { readonly kind: "raw"; readonly bytes: Uint8Array | string; readonly contentType: string | null }
  | { readonly kind: "multipart"; readonly parts: readonly MultipartPart[]; readonly boundary?: BoundaryForm };

/** The boundary of a form, as RFC 2046, section 5.1.1, permits it: another one in quotation marks, of all characters, of all 70. */
export type BoundaryForm = "quoted" | "all-characters" | "longest";

export interface MultipartPart {
  readonly name: string;
  readonly value: string | Uint8Array;
  /** Makes it a file part. */
  readonly filename?: string;
  readonly contentType?: string;
}

/** How the Authorization header is made. The wire resolves key names; the record shows `<key:NAME>` in place of the secret. */
export type Credential =
  | { readonly kind: "bearer"; readonly key: string }
  | { readonly kind: "none" }
  /** A whole header value that holds no secret. */
  | { readonly kind: "literal"; readonly value: string }
  /** The named key, presented wrongly or unusually. */
  | { readonly kind: "distorted"; readonly key: string; readonly how: Distortion };

export type Distortion =
  | "no-scheme"
  | "no-space"
  | "basic-scheme"
  | "token-scheme"
  | "lower-case-scheme"
  | "two-spaces"
  | "mixed-case-field-name"
  | "other-field"
  | "api-key-field"
  | "cookie"
  | "basic-pair"
  | "last-character-changed"
  | "cut"
  | "appended"
  | "case-swapped"
  | "text-after-space"
  | "text-after-tab"
  | "text-after-comma"
  | "text-after-semicolon"
  | "text-before"
  | "twice"
  | "in-quotes";

/** Sends requests: the wire, or what stands in front of it. */
export interface Sender {
  /** Never rejects for what the target does: transport failures are recorded in the exchange. */
  send(request: SendRequest): Promise<Exchange>;
  /** Releases all requests at once over warm connections, one each; order of results is that of the requests. */
  burst(requests: readonly SendRequest[]): Promise<readonly Exchange[]>;
}
