import { errors } from "undici";
import type { TimeBound, TransportFailure } from "../../core/exchange/exchange.ts";
import { noTls } from "../../core/exchange/explain-tls.ts";

/** An error of ours that already knows its kind: deadlines, bounds, refusals. */
export class TransportError extends Error {
  readonly kind: TransportFailure["kind"];
  /** undici drops errors of some codes silently; this one it passes on. */
  readonly code = "ASSAY_TRANSPORT";

  constructor(kind: TransportFailure["kind"], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "TransportError";
    this.kind = kind;
  }
}

/** The answer does not begin as HTTP does: `unreadable` is its text from there. */
export class UnreadableHeadError extends TransportError {
  readonly unreadable: string;

  constructor(message: string, unreadable: string) {
    super("invalid-http", message);
    this.unreadable = unreadable.slice(0, unreadableKept);
  }
}

const unreadableKept = 120;

/** The other side ended the connection in good order. */
export class ConnectionClosedError extends Error {
  readonly code = "ASSAY_CONNECTION_CLOSED";

  constructor() {
    super("the other side closed the connection");
    this.name = "ConnectionClosedError";
  }
}

/** A deadline of ours passed. It is named with its bound, as what it is. */
export class TimeOutError extends TransportError {
  readonly bound: TimeBound;

  constructor(bound: TimeBound, owner: string) {
    super(kindsOfTimeOut[bound.until], `${missing[bound.until]} within ${bound.ms / 1000} s, the time-out of ${owner}`);
    this.bound = bound;
  }
}

/** The client goes away on purpose. */
export class LeaveError extends TransportError {
  constructor(after: string) {
    super("aborted", `the client went away on purpose after ${after}`);
  }
}

const kindsOfTimeOut = {
  connection: "connect-timeout",
  head: "timeout",
  bytes: "stream-timeout",
  end: "stream-timeout",
} as const;
const missing = { connection: "no connection", head: "no response head", bytes: "nothing came", end: "not finished" } as const;

/** As records hold it: a message may repeat what the target sent. */
export function maskFailure(
  { kind, message, unreadable, bound, left }: TransportFailure,
  mask: (text: string) => string,
): TransportFailure {
  return {
    kind,
    message: mask(message),
    ...(unreadable === undefined ? {} : { unreadable: mask(unreadable) }),
    ...(bound === undefined ? {} : { bound }),
    ...(left === undefined ? {} : { left }),
  };
}

/** State of the exchange when the error came. */
export interface FailurePoint {
  readonly headReceived: boolean;
  /** The connection, where it had carried a request before; null: it had not, or there was none. */
  readonly reused: ReusedConnection | null;
}

export interface ReusedConnection {
  /** Time that opening it took, or the quickest success of the server where that is shorter: at least one round trip. */
  readonly roundTripMs: number;
  /** How long it was unused before this request. */
  readonly idleMs: number;
  /** Least time from the request to its end: by then the end had not come. */
  readonly leastMs: number;
  /** Connections of this server that were idle for so long carried a further request to its answer. */
  readonly keptMs: number;
}

/** Round trips within which a server that has just closed an idle connection refuses what meets it, and the least time that stands for. */
const raceRoundTrips = 3;
const leastRaceMs = 20;
/** No server closes a connection for having been idle for less; a busy one gets round to it a second late. */
const leastIdleMs = 900;
const mostBusyMs = 1000;

/**
 * Whether a server may have closed the connection for being idle, before it saw the request (RFC 9112, section 9.3.1). The end of one that
 * it closed has left before the request comes, so that it is met within the time of travel. A busy server closes late, but only what was idle
 * for as long as it allows: not where it has kept others that were idle for longer. A request that was received, worked on and then
 * reset is lost, and sending it again may do it twice.
 */
function isIdleRace({ roundTripMs, idleMs, leastMs, keptMs }: ReusedConnection): boolean {
  if (leastMs <= Math.max(leastRaceMs, raceRoundTrips * roundTripMs)) return true;
  return idleMs >= Math.max(leastIdleMs, keptMs) && leastMs <= mostBusyMs;
}

/** Why there is no complete response, from an error of undici, of a socket or of ours. */
export function describeFailure(error: unknown, at: FailurePoint): TransportFailure {
  if (error instanceof TimeOutError) return { kind: error.kind, message: error.message, bound: error.bound };
  if (error instanceof LeaveError) return { kind: error.kind, message: error.message, left: true };
  if (error instanceof UnreadableHeadError) return { kind: error.kind, message: error.message, unreadable: error.unreadable };
  if (error instanceof TransportError) return { kind: error.kind, message: error.message };
  const { code, message } = errorParts(error);
  if (code === "UND_ERR_HEADERS_OVERFLOW") return { kind: "invalid-http", message: "the response head is larger than 64 KiB" };
  if (error instanceof errors.HTTPParserError) {
    // Nothing of it was HTTP, as opposed to HTTP with a fault in it.
    const foreign = !at.headReceived && message.includes("Expected HTTP/");
    // The types of undici leave out what could not be parsed.
    const unparsed = "data" in error && typeof error.data === "string" ? error.data : "";
    const unreadable = at.headReceived ? "" : unparsed.slice(0, unreadableKept);
    return {
      kind: "invalid-http",
      message: foreign ? "the answer is not HTTP" : message,
      ...(unreadable === "" ? {} : { unreadable }),
    };
  }
  if (code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") {
    return at.headReceived
      ? { kind: "incomplete-body", message: "the body is not as long as Content-Length says" }
      : { kind: "invalid-http", message: "the response head contradicts itself about the length of the body" };
  }
  if (code === "UND_ERR_SOCKET" && message === "bad response") {
    return {
      kind: "other",
      message: "the HTTP client does not accept this interim response (100 Continue that the request did not ask for)",
    };
  }
  if (code === "UND_ERR_SOCKET" && message === "bad upgrade") {
    return { kind: "invalid-http", message: "the response switches protocols although the request did not ask for it" };
  }
  if (isClosed(code)) {
    const how = code === "ECONNRESET" || code === "EPIPE" ? "reset" : "closed";
    if (at.headReceived) return { kind: "incomplete-body", message: `the connection was ${how} before the body was complete` };
    if (at.reused === null) return { kind: "connection-closed", message: `the connection was ${how} before the response head` };
    return isIdleRace(at.reused)
      ? { kind: "reused-connection-closed", message: `a reused connection was ${how} before the response head` }
      : {
          kind: "connection-closed",
          message: `the connection was ${how} ${Math.floor(at.reused.leastMs)} ms after the request, before the response head`,
        };
  }
  return { kind: "other", message: code === "" ? message : `${message} (${code})` };
}

/** Why no connection could be opened. */
export function describeConnectFailure(error: unknown, secure: boolean): TransportError {
  if (error instanceof TransportError) return error;
  const { code, message } = errorParts(error);
  if (/^(?:ENOTFOUND|EAI_)/.test(code)) return new TransportError("dns", `the host name does not resolve (${code})`, error);
  if (code === "ECONNREFUSED") return new TransportError("connect-refused", "the connection was refused", error);
  if (code === "EHOSTUNREACH" || code === "ENETUNREACH") {
    return new TransportError("connect-refused", `the host cannot be reached (${code})`, error);
  }
  if (code === "ETIMEDOUT") return new TransportError("connect-timeout", "no connection in time", error);
  if (code === "EMFILE" || code === "ENFILE" || code === "EADDRNOTAVAIL") {
    return new TransportError("other", `this machine has no more sockets to give (${code})`, error);
  }
  if (secure) return new TransportError("tls", `no secure connection: ${describeTls(error)}`, error);
  if (isClosed(code)) return new TransportError("connection-closed", `the connection was closed while opening (${code})`, error);
  return new TransportError("other", `no connection: ${message}${code === "" ? "" : ` (${code})`}`, error);
}

/** OpenSSL reports a line of its own source code; what it means stands in `reason`. */
function describeTls(error: unknown): string {
  const { code, message } = errorParts(error);
  if (
    /WRONG_VERSION_NUMBER|UNKNOWN_PROTOCOL|HTTP_REQUEST|PACKET_LENGTH_TOO_LONG|wrong version number/.test(`${code} ${message}`)
  ) {
    return noTls;
  }
  const reason = error instanceof Error && "reason" in error && typeof error.reason === "string" ? error.reason : message.trim();
  return `${reason.split("\n")[0] ?? ""}${code === "" ? "" : ` (${code})`}`;
}

function isClosed(code: string): boolean {
  return ["ECONNRESET", "EPIPE", "ECONNABORTED", "UND_ERR_SOCKET", "UND_ERR_CLOSED", "ASSAY_CONNECTION_CLOSED"].includes(code);
}

function errorParts(error: unknown): { readonly code: string; readonly message: string } {
  if (!(error instanceof Error)) return { code: "", message: String(error) };
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return { code, message: error.message === "" ? error.name : error.message };
}
