import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { singleHeader } from "../../../src/core/exchange/headers/header-list.ts";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { bothClients } from "../both-clients.ts";
import { testManifest } from "../../make/test-manifest.ts";
import { serveHttp } from "../../make/wire/test-server.ts";
import { modelsRequest, wireTo } from "../../make/wire/wire-to.ts";

/** The parts that an independent parser of forms finds in a body. */
async function readForm(body: Buffer, contentType: string): Promise<string> {
  const form = await new Response(body, { headers: { "content-type": contentType } }).formData();
  const file = form.get("file") as File;
  return JSON.stringify([form.get("model"), file.name, file.type, [...new Uint8Array(await file.arrayBuffer())]]);
}

const chat: Partial<SendRequest> = {
  endpoint: "chat",
  method: "POST",
  path: "/v1/chat/completions",
  body: { kind: "json", value: { model: "m", messages: [{ role: "user", content: "hi" }] } },
};

describe.each(bothClients)("over $client", ({ stage }) => {
  function get(changes: Partial<SendRequest> = {}): SendRequest {
    return { ...modelsRequest, stage, ...changes };
  }

  describe("an exchange", () => {
    it("records request, response, timing and connection, and holds no secret", async () => {
      let seen = "";
      const server = await serveHttp((request, response) => {
        seen = request.headers.authorization ?? "";
        response.setHeader("X-Twice", ["one", "two"]);
        response.setHeader("content-type", "application/json");
        response.end('{"object":"list","data":[]}');
      });
      const heard: Exchange[] = [];
      const wire = wireTo(server.url, { onExchange: (exchange) => heard.push(exchange) });
      const exchange = await wire.send(get());
      expect(seen).toBe("Bearer sk_test_Primary0123456789");
      expect(JSON.stringify(exchange)).not.toContain("Primary0123456789");
      expect(singleHeader(exchange.request.headers, "authorization")).toBe("Bearer <key:primary>");
      expect(exchange).toMatchObject({
        seq: 1,
        keyName: "primary",
        failure: null,
        attempt: 1,
        connection: { reused: false },
      });
      expect(exchange.response).toMatchObject({ status: 200, stream: null });
      expect(exchange.response?.body).toMatchObject({ text: '{"object":"list","data":[]}', bytes: 27, truncated: false });
      expect(exchange.response?.headers.filter(([name]) => name === "X-Twice")).toEqual([
        ["X-Twice", "one"],
        ["X-Twice", "two"],
      ]);
      const { sentMs, headersMs, firstByteMs, endMs } = exchange.timing;
      expect(sentMs).toBeLessThan(headersMs!);
      expect(headersMs).toBeLessThanOrEqual(firstByteMs!);
      expect(firstByteMs).toBeLessThanOrEqual(endMs);
      expect(heard).toEqual([exchange]);
      const second = await wire.send(get());
      expect(second).toMatchObject({ seq: 2, connection: { id: exchange.connection?.id, reused: true } });
    });

    it("masks a secret that the target echoes, in body, headers and events, and distinguishes a distorted one", async () => {
      const server = await serveHttp((request, response) => {
        const authorization = request.headers.authorization ?? "";
        response.setHeader("x-echo", authorization);
        if (request.url === "/stream") {
          response.setHeader("content-type", "text/event-stream");
          response.end(`data: you sent ${authorization}\n\n`);
        } else response.end(`you sent ${authorization}`);
      });
      const wire = wireTo(server.url);
      const exchange = await wire.send(get());
      expect(exchange.response?.body?.text).toBe("you sent Bearer <key:primary>");
      expect(singleHeader(exchange.response!.headers, "x-echo")).toBe("Bearer <key:primary>");
      const streamed = await wire.send(get({ path: "/stream" }));
      expect(streamed.response?.stream?.events[0]?.data).toBe("you sent Bearer <key:primary>");
      const cut = await wire.send(get({ credential: { kind: "distorted", key: "primary", how: "cut" } }));
      expect(cut.keyName).toBeNull();
      expect(singleHeader(cut.request.headers, "authorization")).toBe("Bearer <key:primary:cut>");
      expect(cut.response?.body?.text).toBe("you sent Bearer <almost-key:primary:cut>");
    });

    it("never sends a credential or a header of the manifest to a fetched address, and refuses other schemes", async () => {
      const seen: (string | undefined)[] = [];
      const server = await serveHttp((request, response) => {
        seen.push(request.headers.authorization, request.headers["x-gateway"] as string | undefined);
        response.end("png");
      });
      const wire = wireTo(server.url, { manifest: testManifest(server.url, { headers: { "x-gateway": "g" } }) });
      const fetched = await wire.send(get({ path: `${server.url}/image.png?sig=1`, endpoint: null }));
      expect(fetched.response?.status).toBe(200);
      expect(fetched.keyName).toBeNull();
      expect(seen).toEqual([undefined, undefined]);
      const withUser = await wire.send(get({ path: `http://user:pass@127.0.0.1:${server.port}/` }));
      expect(withUser.failure?.message).toContain("user name or password");
      expect(seen).toHaveLength(2);
    });

    it("numbers the connections of all wires apart", async () => {
      const server = await serveHttp((_request, response) => void response.end("ok"));
      const ids = await Promise.all(
        [wireTo(server.url), wireTo(server.url)].map(async (wire) => (await wire.send(get())).connection?.id),
      );
      expect(new Set(ids).size).toBe(2);
    });

    it("does not follow redirects", async () => {
      let requests = 0;
      const server = await serveHttp((_request, response) => {
        requests += 1;
        response.writeHead(302, { location: "/elsewhere" }).end();
      });
      const exchange = await wireTo(server.url).send(get());
      expect(exchange.response?.status).toBe(302);
      expect(requests).toBe(1);
    });

    it("keeps a path prefix of the base URL whether or not it ends with a slash", async () => {
      const paths: (string | undefined)[] = [];
      const server = await serveHttp((request, response) => {
        paths.push(request.url);
        response.end();
      });
      for (const suffix of ["", "/", "/proxy", "/proxy/"]) {
        await wireTo(server.url, { manifest: testManifest(`${server.url}${suffix}`) }).send(get());
      }
      expect(paths).toEqual(["/v1/models", "/v1/models", "/proxy/v1/models", "/proxy/v1/models"]);
    });

    it("pins a slot to one connection, keeps its requests in order, and opens a fresh one when asked", async () => {
      const server = await serveHttp((_request, response) => void setTimeout(() => response.end("ok"), 5));
      const wire = wireTo(server.url);
      const pinned = await Promise.all([1, 1, 2].map((connection) => wire.send(get({ connection }))));
      expect(pinned[0]?.connection?.id).toBe(pinned[1]?.connection?.id);
      expect(pinned[1]?.connection?.reused).toBe(true);
      expect(pinned[2]?.connection?.id).not.toBe(pinned[0]?.connection?.id);
      expect(pinned[1]!.timing.sentMs).toBeGreaterThanOrEqual(pinned[0]!.timing.endMs);
      const fresh = await wire.send(get({ connection: "fresh" }));
      expect(fresh.connection?.reused).toBe(false);
    });

    it("holds no more pooled connections than allowed", async () => {
      const server = await serveHttp((_request, response) => void setTimeout(() => response.end("ok"), 2));
      const wire = wireTo(server.url, { maxConnections: 3 });
      const exchanges = await Promise.all(Array.from({ length: 12 }, () => wire.send(get())));
      expect(exchanges.every(({ response }) => response?.status === 200)).toBe(true);
      expect(server.connections()).toBe(3);
    });

    it("has digests of bodies and streams as they were on the wire, but not under load unless asked", async () => {
      const text = 'data: {"a":1}\n\n';
      const server = await serveHttp((request, response) => {
        if (request.url === "/stream") response.setHeader("content-type", "text/event-stream");
        response.end(text);
      });
      const digest = createHash("sha256").update(text).digest("hex");
      const wire = wireTo(server.url, stage === "load" ? { digests: true } : {});
      expect((await wire.send(get())).response?.body?.sha256).toBe(digest);
      expect((await wire.send(get({ path: "/stream" }))).response?.stream?.sha256).toBe(digest);
      const body = { kind: "raw", bytes: text, contentType: "text/plain" } as const;
      expect((await wire.send(get({ ...chat, body }))).request.body?.sha256).toBe(digest);
      expect((await wireTo(server.url).send(get({ stage: "load" }))).response?.body).toMatchObject({ sha256: "", text });
    });

    it("sends nothing beyond the budget", async () => {
      let requests = 0;
      const server = await serveHttp((_request, response) => {
        requests += 1;
        response.end();
      });
      const manifest = testManifest(server.url, { budget: { maxRequests: 2 } });
      const { createBudget } = await import("../../../src/wire/budget/budget.ts");
      const wire = wireTo(server.url, { manifest, budget: createBudget(manifest) });
      const kinds = (await Promise.all([1, 2, 3, 4].map(() => wire.send(get())))).map(({ failure }) => failure?.kind);
      expect(kinds.filter((kind) => kind === "budget")).toHaveLength(2);
      expect(requests).toBe(2);
    });

    it("sends multipart forms that a server reads back", async () => {
      const server = await serveHttp((request, response) => {
        void buffer(request).then(async (body) => response.end(await readForm(body, request.headers["content-type"]!)));
      });
      const parts = [
        { name: "model", value: "tränscribe" },
        { name: "file", value: Uint8Array.of(0, 255, 13, 10), filename: 'a"b.wav', contentType: "audio/wav" },
      ];
      const exchange = await wireTo(server.url).send(get({ ...chat, body: { kind: "multipart", parts } }));
      expect(JSON.parse(exchange.response!.body!.text!)).toEqual([
        "tränscribe",
        expect.stringContaining("b.wav"),
        "audio/wav",
        [0, 255, 13, 10],
      ]);
      expect(exchange.request.body?.base64).toBeDefined();
    });
  });

  describe("a burst", () => {
    it("opens its connections first and lets no byte leave before all requests are ready", async () => {
      const arrivals: number[] = [];
      const clock = createRealClock();
      const server = await serveHttp((_request, response) => {
        arrivals.push(clock.nowMs());
        setTimeout(() => response.end("ok"), 20);
      });
      const wire = wireTo(server.url, { maxConnections: 4, clock });
      const requests = Array.from({ length: 24 }, (_, index) => get({ ...chat, label: `n${index}` }));
      const exchanges = await wire.burst(requests);
      expect(exchanges.map(({ label }) => label)).toEqual(requests.map(({ label }) => label));
      expect(exchanges.every(({ response }) => response?.status === 200)).toBe(true);
      expect(new Set(exchanges.map(({ connection }) => connection?.id)).size).toBe(24);
      const sent = exchanges.map(({ timing }) => timing.sentMs);
      const heads = exchanges.map(({ timing }) => timing.headersMs!);
      // Bytes that left before the release would arrive before the instants of sending, which are those of the release.
      expect(Math.min(...arrivals)).toBeGreaterThan(Math.max(...sent));
      // Every request was under way before any was answered.
      expect(Math.max(...sent)).toBeLessThan(Math.min(...heads));
      expect((await wire.send(get())).failure).toBeNull();
    });

    it("uses connections that are already warm", async () => {
      const server = await serveHttp((_request, response) => void response.end("ok"));
      const wire = wireTo(server.url);
      expect(await wire.warm(8, stage)).toEqual({ opened: 8, failures: [] });
      const exchanges = await wire.burst(Array.from({ length: 8 }, () => get()));
      expect(exchanges.every(({ failure }) => failure === null)).toBe(true);
      const again = await wire.burst(Array.from({ length: 8 }, () => get()));
      expect(again.every(({ connection }) => connection?.reused)).toBe(true);
      expect(server.connections()).toBe(8);
    });

    it("reports a dead port for every request", async () => {
      const server = await serveHttp(() => {});
      await server.close();
      const wire = wireTo(server.url);
      const exchanges = await wire.burst([get(), get()]);
      expect(exchanges.map(({ failure }) => failure?.kind)).toEqual(["connect-refused", "connect-refused"]);
      expect(await wire.warm(1, stage)).toMatchObject({ opened: 0, failures: [{ kind: "connect-refused" }] });
    });
  });
});
