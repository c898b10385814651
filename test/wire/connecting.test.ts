import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { describe, expect, it } from "vitest";
import type { SendRequest } from "../../src/core/exchange/send-request.ts";
import type { Wire } from "../../src/wire/client/wire.ts";
import { bothClients } from "./both-clients.ts";
import { testManifest } from "../make/test-manifest.ts";
import { onRequest, serveHttp, serveTcp, serveTls } from "../make/wire/test-server.ts";
import { streamedChat, wireTo } from "../make/wire/wire-to.ts";

const timeoutMs = 5000;
describe.each(bothClients)("connecting over $client", ({ stage }) => {
  const request: SendRequest = { ...streamedChat, stage };

  it("names a refused connection", async () => {
    const server = await serveTcp(() => {});
    await server.close();
    const { failure, response, connection } = await wireTo(server.url, { timeoutMs }).send(request);
    expect(failure).toEqual({ kind: "connect-refused", message: "the connection was refused" });
    expect([response, connection]).toEqual([null, null]);
  });

  it("names a host that does not resolve", async () => {
    const { failure } = await wireTo("http://no-such-host.invalid", { timeoutMs }).send({ ...request, timeoutMs: 5000 });
    expect(failure?.kind).toBe("dns");
  });

  it("names a server that speaks no TLS, and one that speaks only TLS", async () => {
    const plain = await serveHttp((_request, response) => void response.end("ok"));
    expect((await wireTo(plain.url.replace("http:", "https:"), { timeoutMs }).send(request)).failure?.kind).toBe("tls");
    const tls = await serveOk();
    const { failure } = await wireTo(tls.url.replace("https:", "http:"), { timeoutMs }).send(request);
    expect(["invalid-http", "connection-closed"]).toContain(failure?.kind);
  });

  it("refuses a certificate that nobody vouches for, unless the manifest says otherwise or names the authority", async () => {
    const server = await serveOk();
    const { failure } = await wireTo(server.url, { timeoutMs }).send(request);
    expect(failure).toMatchObject({ kind: "tls", message: expect.stringContaining("SELF_SIGNED") });
    expect((await lenientWireTo(server.url).send(request)).response?.status).toBe(200);
    const folder = mkdtempSync(join(tmpdir(), "assay-tls-"));
    const caFile = join(folder, "certificate.pem");
    writeFileSync(caFile, server.certificate);
    const trusting = wireTo(server.url, { manifest: testManifest(server.url, { tls: { caFile } }) });
    rmSync(folder, { recursive: true });
    expect((await trusting.send(request)).response?.status).toBe(200);
  });

  it("names the host that it wants, where that is a name", async () => {
    const names: unknown[] = [];
    const server = await serveOk((socket) => names.push(socket.servername));
    for (const url of [server.url, server.url.replace("127.0.0.1", "localhost")]) {
      expect((await lenientWireTo(url).send(request)).response?.body?.text).toBe("ok");
    }
    expect(names).toEqual([false, "localhost"]);
  });

  it("holds a burst back over TLS as well", async () => {
    const server = await serveOk();
    const exchanges = await lenientWireTo(server.url).burst(Array.from({ length: 6 }, () => request));
    expect(exchanges.map(({ response }) => response?.status)).toEqual(Array(6).fill(200));
    const sent = exchanges.map(({ timing }) => timing.sentMs);
    expect(Math.max(...sent)).toBeLessThan(Math.min(...exchanges.map(({ timing }) => timing.headersMs!)));
  });

  it("names a connection that is not answered in time", async () => {
    // TLS that never starts: the peer accepts and stays silent.
    const server = await serveTcp(() => {});
    const manifest = testManifest(server.url.replace("http:", "https:"), { timeoutMs: 300 });
    const { failure, timing } = await wireTo(server.url, { manifest }).send(request);
    expect(failure?.kind).toBe("connect-timeout");
    expect(timing.endMs).toBeLessThan(20_000);
  });
});

/** A server over TLS that answers every request alike. */
function serveOk(onConnection: (socket: TLSSocket) => void = () => {}): ReturnType<typeof serveTls> {
  return serveTls((socket) => {
    onConnection(socket);
    onRequest(socket, () => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"));
  });
}

/** A wire that asks for no certificate that somebody vouches for. */
function lenientWireTo(url: string): Wire {
  return wireTo(url, { manifest: testManifest(url, { tls: { rejectUnauthorized: false } }) });
}
