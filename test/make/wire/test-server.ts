import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { onTestFinished } from "vitest";
import { selfSignedCertificate } from "../../wire/self-signed-certificate.ts";

/** A server of the running test: closed when that is over, if not before. */
export interface TestServer {
  readonly port: number;
  readonly url: string;
  /** Connections accepted so far. */
  connections(): number;
  close(): Promise<void>;
}

/** A node:http server on a free port of this machine. */
export function serveHttp(listener: RequestListener): Promise<TestServer> {
  return listen(createHttpServer({ keepAliveTimeout: 60_000 }, listener));
}

/** A server that writes whatever bytes it likes. */
export function serveTcp(onConnection: (socket: Socket) => void): Promise<TestServer> {
  return listen(createTcpServer(onConnection));
}

/** Answers each request, once it is there, with whatever bytes it likes. */
export function serveAnswers(answer: (socket: Socket, requestText: string, ordinal: number) => void): Promise<TestServer> {
  return serveTcp((socket) => onRequest(socket, (text, ordinal) => answer(socket, text, ordinal)));
}

/** The same over TLS, with a certificate that the server signed itself. */
export async function serveTls(
  onConnection: (socket: TLSSocket) => void,
): Promise<TestServer & { readonly certificate: string }> {
  const { key, certificate } = selfSignedCertificate();
  const server = await listen(
    createTlsServer({ key, cert: certificate }, (socket) => {
      socket.on("error", () => {});
      onConnection(socket);
    }),
  );
  return { ...server, certificate, url: server.url.replace("http:", "https:") };
}

/** Calls back once a whole request head (and its declared body) has arrived, for each request on the socket. */
export function onRequest(socket: Socket, answer: (requestText: string, ordinal: number) => void): void {
  let text = "";
  let ordinal = 0;
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    for (;;) {
      const headEnd = text.indexOf("\r\n\r\n");
      if (headEnd === -1) return;
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text.slice(0, headEnd))?.[1] ?? 0);
      if (text.length < headEnd + 4 + length) return;
      const request = text.slice(0, headEnd + 4 + length);
      text = text.slice(headEnd + 4 + length);
      answer(request, ordinal);
      ordinal += 1;
    }
  });
}

async function listen(server: Server): Promise<TestServer> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  server.on("connection", (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => resolve());
    });
  onTestFinished(close);
  return { port, url: `http://127.0.0.1:${port}`, connections: () => accepted, close };
}
