import { connect } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { startReferenceService } from "../../../src/reference/start-reference-service.ts";

const service = await startReferenceService({ seed: 5 });
afterAll(() => service.close());

/** The answer to these bytes until the service closes or falls silent. */
async function send(bytes: string | Buffer, port = Number(new URL(service.url).port)): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    const end = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(400, end).on("close", end).on("error", end);
    socket.on("data", (piece: Buffer) => (text += piece.toString("latin1")));
    socket.write(bytes);
  });
}

function head(path: string, more = "", method = "POST"): string {
  const key = service.manifest.keys["primary"]!.secret;
  return `${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n${more}\r\n`;
}

function withBody(body: string, path = "/v1/chat/completions"): string {
  return head(path, `content-length: ${Buffer.byteLength(body)}\r\n`) + body;
}

describe("the reference service", () => {
  it("survives broken framing, depth and floods, and still answers", async () => {
    const attacks = [
      Buffer.alloc(100_000, 0xff),
      head("/v1/chat/completions", "content-length: 5\r\ntransfer-encoding: chunked\r\n") + "0\r\n\r\n",
      head("/v1/chat/completions", "content-length: -1\r\n"),
      head("/v1/chat/completions", `content-length: ${"9".repeat(400)}\r\n`) + "{}",
      head("/v1/chat/completions", "content-length: 1\r\ncontent-length: 2\r\n") + "{}",
      head("/v1/chat/completions", "transfer-encoding: chunked\r\n") + "ffffffffffffffffff\r\n",
      head("/v1/chat/completions", "transfer-encoding: chunked\r\n") + `1;${"e".repeat(100_000)}\r\n`,
      head("/v1/models", `x-a: ${"b".repeat(1_000_000)}\r\n`, "GET"),
      head("/v1/models", "x-a: b\r\n".repeat(50_000), "GET"),
      head("/v1/models", "a\0b: c\r\n", "GET"),
      withBody(`${"[".repeat(200_000)}${"]".repeat(200_000)}`),
      withBody(`{"model":"reference-chat","messages":${'[{"a":'.repeat(50_000)}1${"}]".repeat(50_000)}}`),
      withBody(`{"model":"reference-chat","messages":[${'{"role":"user","content":"x"},'.repeat(20_000)}1]}`),
      withBody('{"__proto__":{"model":"x"},"constructor":1}'),
      "GET /v1/models HTTP/0.9\r\n\r\n",
      "GET /v1/models HTTP/1.1\r\n\r\n".repeat(2000),
      "POST /v1/audio/transcriptions HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 99999999\r\n\r\n--b",
    ];
    for (const attack of attacks) {
      const answer = await send(attack);
      expect(answer).not.toMatch(/^HTTP\/1\.1 2/);
      expect(answer).not.toMatch(/ at .*\.(?:ts|js):\d+/);
      expect(await send(head("/v1/models", "connection: close\r\n", "GET"))).toMatch(/^HTTP\/1\.1 200 /);
    }
  });

  it("listens on this machine only and has no route beside its list", async () => {
    for (const url of [service.url, service.controlUrl]) expect(new URL(url).hostname).toBe("127.0.0.1");
    const control = Number(new URL(service.controlUrl).port);
    for (const path of [
      "/",
      "/health",
      "/metrics",
      "/docs",
      "/v1",
      "/v1/",
      "/v1/models/",
      "//v1/models",
      "/v1/../v1/models",
      "/clock",
      "/__proto__",
    ]) {
      expect([path, await send(head(path, "connection: close\r\n", "GET"))]).not.toEqual([
        path,
        expect.stringMatching(/^HTTP\/1\.1 2/),
      ]);
      // Its control plane wants its own token.
      expect([path, await send(head(path, "connection: close\r\n", "GET"), control)]).not.toEqual([
        path,
        expect.stringMatching(/^HTTP\/1\.1 2/),
      ]);
    }
  });
});
