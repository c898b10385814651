import { describe, expect, it } from "vitest";
import type { SendRequest } from "../../src/core/exchange/send-request.ts";
import { testManifest } from "../make/test-manifest.ts";
import { serveConnectProxy } from "../make/wire/connect-proxy.ts";
import { onRequest, serveHttp, serveTcp, serveTls } from "../make/wire/test-server.ts";
import { streamedChat, wireTo } from "../make/wire/wire-to.ts";

const request: SendRequest = { ...streamedChat, stage: "conformance" };
const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

describe("requests through a proxy", () => {
  it("go through a tunnel, to a target that the proxy names and this machine does not know", async () => {
    const server = await serveHttp((_request, response) => void response.end("ok"));
    const proxy = await serveConnectProxy({ leadsTo: server.url });
    const manifest = testManifest("http://api.staging.invalid", { proxy: proxy.url.replace("//", "//qa:s3cret-pass@") });
    const wire = wireTo("http://api.staging.invalid", { manifest });
    const first = await wire.send(request);
    expect([first.failure, first.response?.body?.text]).toEqual([null, "ok"]);
    const second = await wire.send(request);
    expect(second.connection).toEqual({ id: first.connection?.id, reused: true });
    expect(proxy.asked).toEqual(["api.staging.invalid:80"]);
    expect(proxy.others).toEqual([]);
    expect(proxy.headers[0]?.["proxy-authorization"]).toBe(`Basic ${Buffer.from("qa:s3cret-pass").toString("base64")}`);
  });

  it.each(["50%off-today", "50%off=x", "50%off%3Dx", "%ff=x"])("go through one whose password is %s", async (password) => {
    const server = await serveHttp((_request, response) => void response.end("ok"));
    const proxy = await serveConnectProxy({ leadsTo: server.url });
    const manifest = testManifest(server.url, { proxy: proxy.url.replace("//", `//qa:${password}@`) });
    expect((await wireTo(server.url, { manifest }).send(request)).response?.body?.text).toBe("ok");
    const meant = Buffer.from(`qa:${password.replace("%3D", "=")}`).toString("base64");
    expect(proxy.headers[0]?.["proxy-authorization"]).toBe(`Basic ${meant}`);
  });

  it("speak TLS with the target and not with the proxy", async () => {
    const server = await serveTls((socket) => onRequest(socket, () => socket.write(answer)));
    const proxy = await serveConnectProxy();
    const strict = await wireTo(server.url, { manifest: testManifest(server.url, { proxy: proxy.url }) }).send(request);
    expect(strict.failure).toMatchObject({ kind: "tls", message: expect.stringContaining("SELF_SIGNED") });
    const tls = { rejectUnauthorized: false };
    const lenient = await wireTo(server.url, { manifest: testManifest(server.url, { proxy: proxy.url, tls }) }).send(request);
    expect(lenient.response?.body?.text).toBe("ok");
    expect(proxy.asked).toEqual(Array.from({ length: 2 }, () => `127.0.0.1:${server.port}`));
  });

  it("release a burst at once", async () => {
    const server = await serveHttp((_request, response) => void response.end("ok"));
    const proxy = await serveConnectProxy();
    const wire = wireTo(server.url, { manifest: testManifest(server.url, { proxy: proxy.url }) });
    const answers = await wire.burst([request, request, request]);
    expect(answers.map(({ response }) => response?.status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ connection }) => connection?.id)).size).toBe(3);
  });

  it.each([
    [403, "allows no connection to api.invalid:80 (403)"],
    [407, "asks for a user and a password (407)"],
    [502, "does not reach api.invalid:80 (502)"],
  ])("name the proxy that answers %d", async (status, words) => {
    const proxy = await serveConnectProxy({ status });
    const manifest = testManifest("http://api.invalid", { proxy: proxy.url });
    const { failure, response } = await wireTo("http://api.invalid", { manifest }).send(request);
    expect(response).toBeNull();
    expect(failure).toMatchObject({ kind: "other", message: expect.stringContaining(`${proxy.url} ${words}`) });
  });

  it("name a proxy that is dead, and one that is silent", async () => {
    const gone = await serveTcp(() => {});
    await gone.close();
    const silent = await serveTcp(() => {});
    const ends = await Promise.all(
      [gone, silent].map(async ({ url: proxy }) => {
        const manifest = testManifest("http://api.invalid", { proxy, timeoutMs: 300 });
        return (await wireTo("http://api.invalid", { manifest }).send(request)).failure;
      }),
    );
    expect(ends).toMatchObject([
      { kind: "other", message: `the proxy ${gone.url} cannot be used: the connection was refused` },
      { kind: "connect-timeout" },
    ]);
  });

  it("do not fetch what the target names elsewhere: its address could not be seen", async () => {
    const proxy = await serveConnectProxy();
    const wire = wireTo("http://api.example", { manifest: testManifest("http://api.example", { proxy: proxy.url }) });
    const { failure } = await wire.send({ ...request, method: "GET", path: "http://intranet.example/image.png" });
    expect(failure?.message).toContain("through a proxy its address is not seen");
    expect(proxy.asked).toEqual([]);
  });
});
