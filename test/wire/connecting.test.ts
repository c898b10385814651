import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SendRequest } from "../../src/core/exchange/send-request.ts";
import { bothClients } from "./both-clients.ts";
import { selfSignedCertificate } from "./self-signed-certificate.ts";
import { testManifest } from "../make/test-manifest.ts";
import { onRequest, serveHttp, serveTcp, serveTls as serveTlsBytes, type TestServer } from "./test-server.ts";
import { keep } from "../make/keep.ts";
import { streamedChat, wireTo } from "./wire-to.ts";

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
    const tls = await serveTls();
    const { failure } = await wireTo(tls.url.replace("https:", "http:"), { timeoutMs }).send(request);
    expect(["invalid-http", "connection-closed"]).toContain(failure?.kind);
  });

  it("refuses a certificate that nobody vouches for, unless the manifest says otherwise or names the authority", async () => {
    const server = await serveTls();
    const { failure } = await wireTo(server.url, { timeoutMs }).send(request);
    expect(failure).toMatchObject({ kind: "tls", message: expect.stringContaining("SELF_SIGNED") });
    const manifest = testManifest(server.url);
    const lenient = { ...manifest, target: { ...manifest.target, tls: { rejectUnauthorized: false, caFile: null } } };
    expect((await wireTo(server.url, { manifest: lenient }).send(request)).response?.status).toBe(200);
    const trusting = {
      ...manifest,
      target: { ...manifest.target, tls: { rejectUnauthorized: true, caFile: server.certificateFile } },
    };
    expect((await wireTo(server.url, { manifest: trusting }).send(request)).response?.status).toBe(200);
  });

  it("names the host that it wants, where that is a name", async () => {
    const names: unknown[] = [];
    const server = keep(
      await serveTlsBytes((socket) => {
        names.push(socket.servername);
        onRequest(socket, () => socket.end("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok"));
      }),
    );
    for (const url of [server.url, server.url.replace("127.0.0.1", "localhost")]) {
      const manifest = testManifest(url);
      const lenient = { ...manifest, target: { ...manifest.target, tls: { rejectUnauthorized: false, caFile: null } } };
      expect((await wireTo(url, { manifest: lenient }).send(request)).response?.body?.text).toBe("ok");
    }
    expect(names).toEqual([false, "localhost"]);
  });

  it("holds a burst back over TLS as well", async () => {
    const server = await serveTls();
    const manifest = testManifest(server.url);
    const lenient = { ...manifest, target: { ...manifest.target, tls: { rejectUnauthorized: false, caFile: null } } };
    const exchanges = await wireTo(server.url, { manifest: lenient }).burst(Array.from({ length: 6 }, () => request));
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

interface TlsServer extends Pick<TestServer, "url" | "close"> {
  readonly certificateFile: string;
}

/** An https server with a certificate that it signed itself. */
async function serveTls(): Promise<TlsServer> {
  const folder = mkdtempSync(join(tmpdir(), "assay-tls-"));
  const certificateFile = join(folder, "certificate.pem");
  const { key, certificate } = selfSignedCertificate();
  writeFileSync(certificateFile, certificate);
  const server = createTlsServer({ key, cert: certificate }, (_request, response) => response.end("ok"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    certificateFile,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          rmSync(folder, { recursive: true });
          resolve();
        });
      }),
  };
}
