import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { encodeRequest } from "../../../src/wire/http1/encode-request.ts";
import { bothClients } from "../both-clients.ts";
import { testManifest } from "../../make/test-manifest.ts";
import { serveHttp, serveAnswers } from "../../make/wire/test-server.ts";
import { streamedChat, wireTo } from "../../make/wire/wire-to.ts";
import { runsOf } from "../../make/runner/sample.ts";

const encoded = (path: string, sent: string[], body: Buffer | null = null): string =>
  encodeRequest({ method: "POST", path, fields: { sent, shown: [], lines: null }, body }, "host:1").toString("latin1");

describe("a request for load", () => {
  it("has a head with Host and the connection first, and its body in the same bytes", () => {
    expect(encoded("/v1/x?y=1", ["accept", "*/*", "X-Y", "a\u00e9 b"])).toBe(
      "POST /v1/x?y=1 HTTP/1.1\r\nhost: host:1\r\nconnection: keep-alive\r\naccept: */*\r\nX-Y: a\u00e9 b\r\ncontent-length: 0\r\n\r\n",
    );
    expect(encoded("/", ["Host", "other"], Buffer.from("\u00e9"))).toBe(
      "POST / HTTP/1.1\r\nconnection: keep-alive\r\nHost: other\r\ncontent-length: 2\r\n\r\n\u00c3\u00a9",
    );
  });

  it("carries no line break, control character or blank beyond what HTTP has", () => {
    const injected = fc
      .tuple(fc.string(), fc.constantFrom("\r\n", "\n", "\r", "\0", "\u007f", "\u0100", "\u0d0a", "\u{1F600}", "\b"), fc.string())
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(injected, (text) => {
        expect(() => encoded("/", ["x", text])).toThrow("characters that HTTP does not allow");
        expect(() => encoded("/", [text, "x"])).toThrow("characters that HTTP does not allow");
      }),
    );
    for (const path of ["/a b", "/a\r\nx: y", "/\n", "/\u0100", "/\t", "/\u{1F600}"])
      expect(() => encoded(path, [])).toThrow("path");
    for (const name of ["", "a b", "a:", "a\r\n", "\u00e9"]) expect(() => encoded("/", [name, "x"])).toThrow("field");
  });

  it("lets nobody else state how long it is or whether its connection is kept", () => {
    for (const name of ["Content-Length", "transfer-encoding", "Connection", "Upgrade", "keep-alive", "Expect"]) {
      expect(() => encoded("/", [name, "1"])).toThrow(name);
    }
  });
});

const request: Omit<SendRequest, "stage"> = streamedChat;

describe.each(bothClients)("over $client, a request", ({ stage }) => {
  it("arrives as it was meant, from no byte to a megabyte", async () => {
    const server = await serveHttp((incoming, response) => {
      const hash = createHash("sha256");
      let bytes = 0;
      incoming.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        hash.update(chunk);
      });
      incoming.on("end", () => {
        const { method, url, headers } = incoming;
        response.end(JSON.stringify({ method, url, bytes, sha256: hash.digest("hex"), headers }));
      });
    });
    const wire = wireTo(server.url);
    for (const size of [0, 1, 100, 4095, 4096, 65_535, 65_536, 65_537, 1_000_000]) {
      const bytes = Buffer.alloc(size, "0123456789\r\n\u00e9\0");
      const exchange = await wire.send({
        ...request,
        stage,
        path: "/v1/any?size=%20",
        headers: { "X-Test": "a b\u00e9" },
        body: { kind: "raw", bytes, contentType: "application/x-test" },
      });
      const seen = JSON.parse(exchange.response?.body?.text ?? "{}") as Record<string, unknown>;
      expect(seen).toMatchObject({
        method: "POST",
        url: "/v1/any?size=%20",
        bytes: size,
        sha256: createHash("sha256").update(bytes).digest("hex"),
        headers: {
          host: `127.0.0.1:${server.port}`,
          connection: "keep-alive",
          "content-length": String(size),
          "content-type": "application/x-test",
          "accept-encoding": "identity",
          "x-test": "a b\u00e9",
        },
      });
    }
  });

  it("is refused where a header of the manifest would begin another line, and is not sent", async () => {
    const server = await serveHttp((_request, response) => void response.end("ok"));
    for (const value of ["a\r\nx-injected: 1", "a\n", "a\0"]) {
      const wire = wireTo(server.url, { manifest: testManifest(server.url, { headers: { "x-gateway": value } }) });
      const { failure, response } = await wire.send({ ...request, stage });
      expect(response).toBeNull();
      expect(failure).toMatchObject({ kind: "other", message: expect.stringContaining("x-gateway") });
      // The slot goes on with the next request.
      expect((await wire.send({ ...request, stage })).failure?.kind).toBe("other");
    }
    const wire = wireTo(server.url);
    const answers = await Promise.all(
      ["/v1/\u0100", "/v1/a b"].map((path) => wire.send({ ...request, stage, path, connection: 3 })),
    );
    for (const { failure, response } of answers) {
      if (failure === null) expect(response?.status).toBe(200);
      else expect(failure.kind).toBe("other");
    }
    expect((await wire.send({ ...request, stage, connection: 3 })).failure).toBeNull();
  });
});

it("is the same bytes over both clients", async () => {
  const heard: string[] = [];
  const server = await serveAnswers((socket, text) => {
    heard.push(text);
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
  });
  const wire = wireTo(server.url);
  const value = fc.string({
    unit: fc.constantFrom("a", "Z", "0", " ", "\t", ";", "=", '"', "\u00e9", "\u00ff", "%", ":"),
    maxLength: 20,
  });
  const sent = fc.record({
    method: fc.constantFrom("GET", "POST", "PATCH", "DELETE"),
    path: fc.webQueryParameters().map((query) => `/v1/models?${query.replaceAll(/[^\w=&%.-]/g, "")}`),
    headers: fc.dictionary(fc.stringMatching(/^x-[a-z0-9-]{1,10}$/), value, { maxKeys: 4 }),
    body: fc.option(fc.uint8Array({ minLength: 1, maxLength: 3000 })),
  });
  await fc.assert(
    fc.asyncProperty(sent, async ({ body, ...others }) => {
      heard.length = 0;
      const bytes: Partial<SendRequest> = body === null ? {} : { body: { kind: "raw", bytes: body, contentType: "a/b" } };
      const { body: _none, ...plain } = request;
      for (const { stage } of bothClients) await wire.send({ ...plain, ...others, ...bytes, stage });
      expect(heard).toHaveLength(2);
      expect(heard[1]).toBe(heard[0]);
    }),
    { numRuns: runsOf(60) },
  );
});
