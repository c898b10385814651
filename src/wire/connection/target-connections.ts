import { readFileSync } from "node:fs";
import { isLoopback } from "../../core/is-loopback.ts";
import type { TransportFailure } from "../../core/exchange/exchange.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import { type Connector, createConnector, type ConnectorOptions } from "../connect/connector.ts";
import { FramedClient, statesFraming } from "../http/framed-client.ts";
import { createHeaderReader } from "../http/header-reader.ts";
import { createHeadReader } from "../http1/head-reader.ts";
import { Http1Client } from "../http1/http1-client.ts";
import type { SlotClient } from "../http/slot-client.ts";
import { SlotPool, type SlotLoan } from "./slot-pool.ts";
import { ConnectionSlot, type ConnectionSlotOptions } from "./connection-slot.ts";
import { ServerHabits } from "./server-habits.ts";
import { createTunnelConnector } from "../connect/tunnel-connector.ts";
import { isPrivateAddress } from "../http/target-url.ts";
import { describeConnectFailure, TransportError } from "../http/transport-error.ts";
import { type ReadInProgress, UndiciClient } from "../http/undici-client.ts";

export interface TargetConnectionsOptions {
  readonly baseUrl: URL;
  readonly target: Manifest["target"];
  /** Masks header fields of answers under load. */
  readonly mask: (text: string) => string;
  /** Masks those of all other answers. */
  readonly maskDeep: (text: string) => string;
  /** Pooled connections at a time; further requests wait. */
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
  /** Does something once all sockets of this turn of the loop were read. */
  readonly afterReads: (task: () => void) => void;
}

/**
 * Connections to a target: load goes over a client of our own, all that is judged for itself over undici, or over the client of Node
 * where the request states its framing.
 */
export interface TargetConnections {
  /** A slot as the request wants it; `beyondLimit`: even where no more connections are allowed. */
  lease(request: Pick<SendRequest, "stage" | "connection" | "headers">, beyondLimit: boolean): SlotLoan | Promise<SlotLoan>;
  /** A slot to another place, for one request. */
  leaseForeign(origin: URL): SlotLoan;
  warm(connections: number | readonly number[], stage: SendRequest["stage"]): Promise<WarmUp>;
  close(): Promise<void>;
}

export interface WarmUp {
  readonly opened: number;
  readonly failures: readonly TransportFailure[];
}

/** As much as Node reads from a socket at once. */
const readBytes = 65_536;
/** Below what common servers allow an idle connection, so that we close first. */
const keepAliveMs = 4000;
/** Longer than a round trip; a client may not wait for long (RFC 9110, section 10.1.1). Less where the answer itself is waited for briefly. */
const expectationAtMostMs = 300;

/** Several wires may serve one run: its connections must not share numbers. */
let connections = 0;
const nextConnectionId = (): number => (connections += 1);

export function openTargetConnections({
  baseUrl,
  target,
  mask,
  maskDeep,
  maxConnections,
  connectTimeoutMs,
  afterReads,
}: TargetConnectionsOptions): TargetConnections {
  const { caFile, rejectUnauthorized } = target.tls;
  const common: Omit<ConnectorOptions, "origin"> = {
    timeoutMs: Math.min(connectTimeoutMs, target.timeoutMs),
    tls: { rejectUnauthorized, ca: caFile === null ? null : readFileSync(caFile, "utf8") },
  };
  const habits = new ServerHabits();
  const readHeaders = createHeaderReader(maskDeep);
  const reading: ReadInProgress = { of: null, memory: null };
  const readHead = createHeadReader(mask);
  const expectationMs = Math.min(expectationAtMostMs, target.timeoutMs / 3);
  const undiciTo =
    (origin: URL): ConnectionSlotOptions["createClient"] =>
    (open): SlotClient =>
      new UndiciClient({ origin, keepAliveMs, readHeaders, reading, connect: async () => (await open()).socket });

  const proxy = target.proxy == null ? null : new URL(target.proxy);
  const connectorTo = (origin: URL): Connector =>
    proxy === null ? createConnector({ ...common, origin }) : createTunnelConnector({ ...common, origin }, proxy);
  const openPool = (options: Pick<ConnectionSlotOptions, "createClient" | "connector">): SlotPool =>
    new SlotPool(() => new ConnectionSlot({ ...options, nextConnectionId, habits }), maxConnections);
  const standard = openPool({
    createClient: undiciTo(baseUrl),
    connector: connectorTo(baseUrl),
  });
  const framed = openPool({
    createClient: (open) =>
      new FramedClient({ authority: baseUrl.host, readHeaders, expectationMs, connect: async () => (await open()).socket }),
    connector: connectorTo(baseUrl),
  });
  const openLoad = (): SlotPool =>
    openPool({
      createClient: (connect) => new Http1Client({ authority: baseUrl.host, keepAliveMs, readHead, connect, afterReads }),
      connector: createConnector({ ...common, origin: baseUrl, memory: Buffer.allocUnsafeSlow(readBytes) }),
    });
  // No load goes through a proxy (see profileBlockers): there is nothing to measure on a path of its own.
  const load = proxy === null ? openLoad() : standard;
  // The proxy resolves the name: nobody here sees whether the address is a private one.
  const foreignTunnel = (origin: URL, guarded: boolean): Connector =>
    guarded
      ? () =>
          Promise.reject(new TransportError("other", `${origin.host} is not fetched: through a proxy its address is not seen`))
      : connectorTo(origin);
  const poolOf = (stage: SendRequest["stage"]): SlotPool => (stage === "load" ? load : standard);

  return {
    lease: ({ stage, connection, headers }, beyondLimit) =>
      stage !== "load" && statesFraming(headers)
        ? framed.lease("fresh", beyondLimit)
        : poolOf(stage).lease(connection, beyondLimit),
    leaseForeign(origin) {
      // A target must not make this machine read what only this machine can reach.
      const guarded = !isLoopback(baseUrl.hostname) && !isPrivateAddress(baseUrl.hostname);
      const allowAddress = (address: string): boolean => !guarded || !isPrivateAddress(address);
      const slot = new ConnectionSlot({
        createClient: undiciTo(origin),
        connector: proxy === null ? createConnector({ ...common, origin, allowAddress }) : foreignTunnel(origin, guarded),
        nextConnectionId,
        habits: new ServerHabits(),
      });
      return { slot, release: () => void slot.close(new TransportError("aborted", "the wire was closed")) };
    },
    async warm(wanted, stage) {
      const numbers = typeof wanted === "number" ? Array.from<undefined>({ length: wanted }).fill(undefined) : wanted;
      const leases = await Promise.all(numbers.map(async (number) => poolOf(stage).lease(number ?? "pooled", true)));
      const failures: TransportFailure[] = [];
      await Promise.all(
        leases.map(async ({ slot }) => {
          try {
            await slot.warm();
          } catch (error) {
            const { kind, message } = describeConnectFailure(error, baseUrl.protocol === "https:");
            failures.push({ kind, message });
          }
        }),
      );
      for (const leased of leases) leased.release(false);
      return { opened: leases.length - failures.length, failures };
    },
    async close() {
      await Promise.all([standard.close(), framed.close(), load.close()]);
    },
  };
}
