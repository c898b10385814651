import { once } from "node:events";
import { Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { connect as connectTls } from "node:tls";
import { type Connector, type ConnectorOptions, type TlsTrust, tlsOptions } from "./connector.ts";
import { describeConnectFailure, TimeOutError, TransportError } from "../http/transport-error.ts";
import { percentDecoded } from "../../core/percent-decoded.ts";
import { Client, type Dispatcher } from "undici";

/**
 * Opens connections to a target through a proxy. TLS is spoken with the target, through the tunnel: the proxy reads nothing of it.
 */
export function createTunnelConnector(
  { origin, timeoutMs, tls }: Pick<ConnectorOptions, "origin" | "timeoutMs" | "tls">,
  proxy: URL,
): Connector {
  const secure = origin.protocol === "https:";
  const host = origin.hostname.replace(/^\[|\]$/g, "");
  const authority = `${origin.hostname}:${origin.port || (secure ? 443 : 80)}`;
  return async () => {
    const startMs = performance.now();
    const tooLate = new AbortController();
    const giveUp = (): void => tooLate.abort(new TimeOutError({ until: "connection", ms: timeoutMs }, "connecting"));
    const timer = setTimeout(giveUp, timeoutMs);
    try {
      const tunnel = await openTunnel(proxy, authority, tooLate.signal);
      const socket = secure ? await speakTls(tunnel, { host, tls, signal: tooLate.signal }) : tunnel;
      return { socket: socket.setNoDelay(true).setKeepAlive(true), openMs: performance.now() - startMs, reading: null };
    } finally {
      clearTimeout(timer);
    }
  };
}

interface TlsInTunnel {
  readonly host: string;
  readonly tls: TlsTrust;
  readonly signal: AbortSignal;
}

async function speakTls(tunnel: Socket, { host, tls, signal }: TlsInTunnel): Promise<Socket> {
  const socket = connectTls({ ...tlsOptions(host, tls), socket: tunnel });
  try {
    await once(socket, "secureConnect", { signal });
    return socket;
  } catch (error) {
    // A socket that was given up may fail again: nobody is left to hear of it.
    socket.on("error", () => {}).destroy();
    if (signal.aborted) throw signal.reason;
    throw describeConnectFailure(error, true);
  }
}

/**
 * A tunnel through a proxy to `authority` (CONNECT, RFC 9110 section 9.3.6), opened as undici's ProxyAgent opens one. Every target gets
 * one, without TLS too: a proxy that rewrites requests and answers would be judged in the place of the target. Rejects with a
 * TransportError that names the proxy.
 */
async function openTunnel(proxy: URL, authority: string, signal: AbortSignal): Promise<Socket> {
  const shown = `the proxy ${proxy.origin}`;
  // Time is kept by the signal, from the first packet to the answer.
  const client = new Client(proxy.origin, { headersTimeout: 0, connect: { timeout: 0 } });
  const headers = { host: authority, ...proxyAuthorization(proxy) };
  let opened: Dispatcher.ConnectData;
  try {
    opened = await client.connect({ path: authority, headers, signal });
  } catch (error) {
    void client.destroy();
    if (signal.aborted) throw signal.reason;
    const { message } = describeConnectFailure(error, false);
    // Of no kind that a target has: hints about its name, its port and its firewall would mislead.
    throw new TransportError("other", `${shown} cannot be used: ${message}`, error);
  }
  const { socket, statusCode } = opened;
  // The tunnel is no longer the client's, which has nothing else to do.
  void client.close();
  // Over TCP and over TLS it is one; the types of undici say less.
  if (statusCode >= 200 && statusCode < 300 && socket instanceof Socket) return socket;
  socket.on("error", () => {}).destroy();
  throw new TransportError("other", `${shown} ${refusal(statusCode, authority)}`);
}

function proxyAuthorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "" && password === "") return {};
  const pair = `${percentDecoded(username)}:${percentDecoded(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

function refusal(status: number, authority: string): string {
  if (status === 407) return "asks for a user and a password (407): they belong into its URL, http://user:password@host:port";
  if (status >= 500) return `does not reach ${authority} (${status})`;
  return `allows no connection to ${authority} (${status})`;
}
