import { connect } from "node:net";
import { createServer } from "node:http";
import { onTestFinished } from "vitest";

export interface ConnectProxy {
  readonly url: string;
  /** The authority of each CONNECT, in order. */
  readonly asked: readonly string[];
  /** The header fields of each. */
  readonly headers: readonly Readonly<Record<string, string | readonly string[] | undefined>>[];
  /** Requests other than CONNECT that reached it. */
  readonly others: readonly string[];
}

interface ProxyOptions {
  /** The place that every tunnel leads to, whatever name is asked for; absent: where it says. */
  readonly leadsTo?: string;
  /** The status of the answer; 200 opens the tunnel. */
  readonly status?: number;
}

/** A proxy for CONNECT (RFC 9110 section 9.3.6) on a free port of this machine, closed with the running test. */
export async function serveConnectProxy({ leadsTo, status = 200 }: ProxyOptions = {}): Promise<ConnectProxy> {
  const [asked, headers, others]: [string[], ConnectProxy["headers"][number][], string[]] = [[], [], []];
  const server = createServer((request, response) => {
    others.push(`${request.method} ${request.url}`);
    response.writeHead(400).end();
  });
  server.on("connect", (request, socket, head) => {
    asked.push(request.url ?? "");
    headers.push(request.headers);
    socket.on("error", () => {});
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(leadsTo ?? `http://${request.url}`);
    const onward = connect({ host: hostname, port: Number(port) }, () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    onward.on("error", () => socket.destroy());
    socket.on("close", () => onward.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, asked, headers, others };
}
