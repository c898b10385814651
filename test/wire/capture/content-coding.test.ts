import { describe, expect, it } from "vitest";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { bothClients } from "../both-clients.ts";
import { serveHttp } from "../../make/wire/test-server.ts";
import { modelsRequest, wireTo } from "../../make/wire/wire-to.ts";

const key = "sk_test_Primary0123456789";

/** The record of an answer of these bytes. */
async function receive(bytes: Buffer, headers: Readonly<Record<string, string>>, stage: SendRequest["stage"]): Promise<Exchange> {
  const server = await serveHttp((_, response) => response.writeHead(200, headers).end(bytes));
  return wireTo(server.url, { captureBytes: 4096 }).send({ ...modelsRequest, stage });
}

describe.each(bothClients)("over $client: a body that comes compressed although identity was asked for", ({ stage }) => {
  const json = JSON.stringify({ object: "list", data: [{ id: key }] });
  const masked = json.replace(key, "<key:primary>");

  it.each([
    ["gzip", gzipSync(json)],
    ["x-gzip", gzipSync(json)],
    ["deflate", deflateSync(json)],
    ["deflate", deflateRawSync(json)],
    ["br", brotliCompressSync(json)],
    ["gzip, br", brotliCompressSync(gzipSync(json))],
    ["GZIP", gzipSync(json)],
    ["identity", Buffer.from(json)],
  ])("is recorded as what it says, without the keys in it: %s", async (coding, bytes) => {
    const { response, failure } = await receive(bytes, { "content-type": "application/json", "content-encoding": coding }, stage);
    expect(failure).toBeNull();
    expect(response?.body).toMatchObject({ text: masked, bytes: bytes.length, truncated: false });
  });

  it.each([
    ["zstd", Buffer.from("no bytes of that coding")],
    ["gzip", gzipSync(json).subarray(4)],
    // Zeros that would fill a disk.
    ["gzip", gzipSync(Buffer.alloc(1_000_000))],
  ])("is recorded as unknown where it cannot be read, with none of its bytes: %s", async (coding, bytes) => {
    const { response } = await receive(bytes, { "content-type": "application/json", "content-encoding": coding }, stage);
    expect(response?.body).toMatchObject({ base64: "", truncated: true, bytes: bytes.length });
  });

  it("is shown where it is text instead of what its head names, without the keys in it", async () => {
    const bytes = Buffer.from(json);
    const { response } = await receive(bytes, { "content-type": "application/json", "content-encoding": "gzip" }, stage);
    expect(response?.body).toMatchObject({ text: masked, truncated: true, bytes: bytes.length, unread: { cause: "coding" } });
  });

  it("is read as events where it is a stream", async () => {
    const bytes = gzipSync(`data: {"a":1}\n\ndata: ${key}\n\n`);
    const { response } = await receive(bytes, { "content-type": "text/event-stream", "content-encoding": "gzip" }, stage);
    expect(response?.stream?.events.map((event) => event.data)).toEqual(['{"a":1}', "<key:primary>"]);
    expect(response?.stream).toMatchObject({ validUtf8: true, pendingAtEnd: false, bytes: bytes.length });
  });
});

describe.each(bothClients)("over $client: keys in places where no key belongs", ({ stage }) => {
  it("are masked in names of fields and in types of events", async () => {
    const stream = `event: ${key}\nid: ${key}\ndata: x\n\n`;
    const { response } = await receive(Buffer.from(stream), { "content-type": "text/event-stream", [`x-${key}`]: "1" }, stage);
    expect(JSON.stringify(response)).not.toContain(key);
    expect(response?.stream?.events[0]?.event).toBe("<key:primary>");
  });
});
