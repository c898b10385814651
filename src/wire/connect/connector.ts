import { performance } from "node:perf_hooks";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { describeConnectFailure, TimeOutError, TransportError } from "../http/transport-error.ts";

/** The address and the conditions of a connection. */
export interface ConnectorOptions {
  readonly origin: URL;
  readonly timeoutMs: number;
  readonly tls: TlsTrust;
  /** Asked with the peer's address before a byte is sent; false closes the connection. */
  readonly allowAddress?: (address: string) => boolean;
  /** Reads go into this memory, whichever connection they are of, instead of memory of their own each. */
  readonly memory?: Buffer;
}

export interface OpenedSocket {
  readonly socket: Socket;
  /** Time that opening it took, at least one round trip. */
  readonly openMs: number;
  /** null: the socket is read as Node streams are. */
  readonly reading: SharedRead | null;
}

/** The memory into which the bytes of a socket are read, if it is shared. */
export interface SharedRead {
  readonly memory: Buffer;
  /** Called for every read, which begins at the start of the memory; its content is lost when the call returns. */
  onBytes: (bytes: number) => void;
}

/** Opens one connection; rejects with a TransportError that names the kind. */
export type Connector = () => Promise<OpenedSocket>;

export function createConnector(options: ConnectorOptions): Connector {
  const secure = options.origin.protocol === "https:";
  const host = options.origin.hostname.replace(/^\[|\]$/g, "");
  const port = Number(options.origin.port || (secure ? 443 : 80));
  let session: Buffer | undefined;

  const open = (reading: SharedRead | null): Socket => {
    const onread =
      reading === null
        ? {}
        : {
            onread: {
              buffer: reading.memory,
              callback: (bytes: number): boolean => {
                reading.onBytes(bytes);
                return true;
              },
            },
          };
    if (!secure) return connectTcp({ host, port, noDelay: true, keepAlive: true, ...onread });
    const socket = connectTls({ ...onread, port, ...tlsOptions(host, options.tls), ...(session ? { session } : {}) });
    socket.on("session", (ticket) => {
      session = ticket;
    });
    return socket.setNoDelay(true).setKeepAlive(true);
  };

  return () =>
    new Promise((resolve, reject) => {
      const reading: SharedRead | null =
        options.memory === undefined
          ? null
          : {
              memory: options.memory,
              // A server that sends before it was asked is of no use: closed here, the connection fails when the request is sent.
              onBytes: () => socket.destroy(),
            };
      const startMs = performance.now();
      const socket = open(reading);
      const settle = (error: unknown): void => {
        clearTimeout(timer);
        socket.off("error", settle);
        socket.off("close", closed);
        if (error === null) {
          resolve({ socket, openMs: performance.now() - startMs, reading });
        } else {
          // A socket that was given up may fail again: nobody is left to hear of it.
          socket.on("error", () => {});
          socket.destroy();
          reject(describeConnectFailure(error, secure));
        }
      };
      const closed = (): void => settle(new TransportError("connection-closed", "the connection was closed while opening"));
      const timer = setTimeout(() => {
        settle(new TimeOutError({ until: "connection", ms: options.timeoutMs }, "connecting"));
      }, options.timeoutMs);
      socket.once("error", settle);
      socket.once("close", closed);
      socket.once(secure ? "secureConnect" : "connect", () => {
        const address = socket.remoteAddress ?? "";
        const allowed = options.allowAddress?.(address) ?? true;
        settle(
          allowed ? null : new TransportError("other", `the address ${address} is not fetched: it is private to this network`),
        );
      });
    });
}

/** How a target may prove that it is the host that is meant. */
export interface TlsTrust {
  readonly rejectUnauthorized: boolean;
  readonly ca: string | null;
}

/** Options of a TLS connection to a host, over whatever carries it. */
export function tlsOptions(host: string, { rejectUnauthorized, ca }: TlsTrust): ConnectionOptions {
  return {
    host,
    ALPNProtocols: ["http/1.1"],
    rejectUnauthorized,
    ...(ca === null ? {} : { ca }),
    // Server Name Indication takes host names only (RFC 6066 section 3).
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
  };
}
