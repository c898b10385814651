import type { Socket } from "node:net";

/** The answer of a hostile target to every request. */
export interface Attack {
  readonly id: string;
  readonly answer: (socket: Socket, request: AttackedRequest) => void;
  /** It gives back what it was sent: outputs are searched for the key in every encoding, which takes minutes where they are large. */
  readonly echoes?: boolean;
  /** Members of the manifest, as YAML, that go with it. */
  readonly manifest?: string;
  /** The manifest says https, and the target speaks what it likes. */
  readonly https?: boolean;
}

export interface AttackedRequest {
  readonly head: string;
  readonly path: string;
}

export const megabyte = 1_048_576;
const closing = "connection: close\r\n";
/** Head of a JSON answer, without the empty line that ends it. */
export const json: string = `HTTP/1.1 200 OK\r\n${closing}content-type: application/json\r\n`;
/** Head of a stream of events, with the empty line. */
export const events: string = `HTTP/1.1 200 OK\r\n${closing}content-type: text/event-stream\r\n\r\n`;

/** A whole answer of these bytes. */
export function body(text: string | Buffer, head: string = json): Attack["answer"] {
  return (socket) => {
    socket.write(`${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n`);
    socket.end(text);
  };
}

/** These bytes and the end of the connection. */
export function raw(bytes: string | Buffer): Attack["answer"] {
  return (socket) => void socket.end(bytes);
}

/** The same piece again and again for as long as somebody reads, at most so many bytes. */
export function flood(first: string, piece: string | Buffer, bytes: number = 4000 * megabyte): Attack["answer"] {
  return (socket) => {
    let sent = 0;
    const more = (): void => {
      if (socket.destroyed) return;
      sent += piece.length;
      if (sent < bytes) socket.write(piece, more);
      else socket.end(piece);
    };
    socket.write(first);
    more();
  };
}

/** One piece each so many milliseconds, without end. */
export function drip(first: string, piece: string, everyMs: number): Attack["answer"] {
  return (socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(piece), everyMs);
    socket.on("close", () => clearInterval(timer));
  };
}

/** An answer with these fields. */
export function withFields(
  fields: Readonly<Record<string, string>>,
  status = "200 OK",
  text = '{"object":"list","data":[]}',
): Attack["answer"] {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return body(text, `HTTP/1.1 ${status}\r\n${closing}content-type: application/json\r\n${lines.join("")}`);
}
