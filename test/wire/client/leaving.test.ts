import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, it } from "vitest";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { serveHttp } from "../../make/wire/test-server.ts";
import { streamedChat, wireTo } from "../../make/wire/wire-to.ts";

const whole = { ...streamedChat, stage: "conformance", body: { kind: "json", value: { text: "x".repeat(400) } } } as const;

/** Sends one request to a server that streams an event and waits; the message of its failure, and the bytes that the server read. */
async function leave(
  request: SendRequest,
): Promise<{ readonly status: number | null; readonly why: string; readonly read: number }> {
  let read = 0;
  let gone: Promise<unknown> = Promise.resolve();
  const server = await serveHttp((incoming: IncomingMessage, response: ServerResponse) => {
    gone = once(response, "close");
    incoming.on("error", () => undefined);
    incoming.on("data", (piece: Buffer) => (read += piece.length));
    incoming.on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${"y".repeat(100)}\n\n`);
    });
  });
  const exchange = await wireTo(server.url, { maxConnections: 1 }).send(request);
  // The server sees its client leave.
  await gone;
  expect(exchange.failure?.kind).toBe("aborted");
  return { status: exchange.response?.status ?? null, why: exchange.failure?.message ?? "", read };
}

it("leaves an answer with its head or after some bytes", async () => {
  expect(await leave({ ...whole, leaveAfterBytes: 0 })).toMatchObject({
    status: 200,
    why: "the client went away on purpose after the head",
  });
  expect(await leave({ ...whole, leaveAfterBytes: 50 })).toMatchObject({
    status: 200,
    why: "the client went away on purpose after 108 bytes",
  });
});

it("leaves a request when half of its body is sent", async () => {
  expect(await leave({ ...whole, leaveUploadAfterBytes: 200 })).toEqual({
    status: null,
    why: "the client went away on purpose after 200 bytes of its body",
    read: 200,
  });
});

it("leaves after events, and after a time", async () => {
  expect(await leave({ ...whole, leaveAfterEvents: 1 })).toMatchObject({
    status: 200,
    why: "the client went away on purpose after 1 event",
  });
  expect(await leave({ ...whole, leaveAfterMs: 40 })).toMatchObject({ why: "the client went away on purpose after 40 ms" });
});
