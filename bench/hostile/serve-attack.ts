import { createServer, type AddressInfo, type Socket } from "node:net";
import type { Attack } from "./attack.ts";

export interface ServedAttack {
  readonly url: string;
  /** Heads that came whole, by path. */
  readonly asked: () => readonly string[];
  readonly close: () => Promise<void>;
}

/** Answers every request with the attack, on a free port of this machine. */
export async function serveAttack({ answer, https = false }: Attack): Promise<ServedAttack> {
  const sockets = new Set<Socket>();
  const asked: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    let text = "";
    const take = (piece: Buffer): void => {
      text += piece.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      if (end === -1 && !https) return;
      const head = text.slice(0, end);
      text = "";
      socket.off("data", take).resume();
      const path = head.split(" ")[1] ?? "";
      asked.push(path);
      answer(socket, { head, path });
    };
    socket.on("data", take);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http${https ? "s" : ""}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
