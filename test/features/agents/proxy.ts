import { connect, createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

/** A way to the broker that can be cut in either direction, and held up. */
export interface Proxy {
  readonly url: string;
  /** Swallows all bytes from that side from now on; connections stay open. */
  cut(from: "agent" | "broker"): void;
  heal(): void;
  close(): Promise<void>;
}

/** `delayMs`: by direction; the ways of a network need not take the same time. */
export async function startProxy(port: number, delayMs: { readonly there: number; readonly back: number }): Promise<Proxy> {
  const cuts = new Set<"agent" | "broker">();
  const sockets = new Set<Socket>();
  const pass = (from: "agent" | "broker", source: Socket, sink: Socket, ms: number): void => {
    source.on("data", (bytes) => {
      if (cuts.has(from)) return;
      setTimeout(() => sink.write(bytes), ms);
    });
    source.on("close", () => sink.destroy());
    source.on("error", () => sink.destroy());
  };
  const server = createServer((agent) => {
    const broker = connect(port, "127.0.0.1");
    sockets.add(agent).add(broker);
    pass("agent", agent, broker, delayMs.there);
    pass("broker", broker, agent, delayMs.back);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: (from) => void cuts.add(from),
    heal: () => {
      cuts.clear();
      // The swallowed bytes leave a gap in the protocol: only a new connection goes on.
      for (const socket of sockets) socket.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
