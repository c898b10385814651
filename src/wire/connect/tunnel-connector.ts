import { once } from "node:events";
import type { Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { connect as connectTls } from "node:tls";
import type { Connector, ConnectorOptions } from "./connector.ts";
import { openTunnel } from "./open-tunnel.ts";
import { type TlsTrust, tlsOptions } from "./tls-options.ts";
import { describeConnectFailure, TimeOutError } from "../http/transport-error.ts";

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
