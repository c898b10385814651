import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { FramedClient } from "../../../src/wire/http/framed-client.ts";
import { createHeaderReader } from "../../../src/wire/http/header-reader.ts";
import { serveAnswers, serveHttp, serveTcp } from "../../make/wire/test-server.ts";
import { streamedChat, wireTo } from "../../make/wire/wire-to.ts";

const text = JSON.stringify({ text: "Grüße, 👩‍🚀: name a colour." });
const chunked: SendRequest = {
  ...streamedChat,
  headers: { "transfer-encoding": "chunked" },
  body: { kind: "raw", bytes: text, contentType: "application/json" },
};

it("a body goes out in chunks of 1, 2, 4, 8 bytes and so on, without a length", async () => {
  let written = "";
  const server = await serveTcp((socket) =>
    socket.on("data", (bytes: Buffer) => {
      written += bytes.toString("latin1");
      if (written.endsWith("0\r\n\r\n")) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
    }),
  );
  const exchange = await wireTo(server.url).send(chunked);
  expect(exchange.failure).toBeNull();
  expect(exchange.response).toMatchObject({ status: 200, body: { text: "{}" } });
  const [head = "", body = ""] = written.split(/\r\n\r\n(.*)/s);
  expect(head).toMatch(/^POST \/v1\/chat\/completions HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n/);
  expect(head).toMatch(/\r\ntransfer-encoding: chunked(?:\r\n|$)/i);
  expect(head).not.toMatch(/content-length/i);
  const bytes = Buffer.from(text).toString("latin1");
  expect(body).toMatch(/^1\r\n.\r\n2\r\n..\r\n4\r\n.{4}\r\n8\r\n.{8}\r\n10\r\n.{16}\r\n/s);
  expect(body.replaceAll(/[\da-f]+\r\n(.*?)\r\n/gs, "$1").trim()).toBe(bytes);
});

it("the framing stands in the record, with the whole body", async () => {
  const bodies: string[] = [];
  const server = await serveHttp((incoming, response) => {
    let read = "";
    incoming.setEncoding("utf8").on("data", (piece: string) => (read += piece));
    incoming.on("end", () => {
      bodies.push(read);
      response.end("{}");
    });
  });
  const { request, connection } = await wireTo(server.url).send(chunked);
  expect(request.headers).toContainEqual(["transfer-encoding", "chunked"]);
  expect(request.body?.text).toBe(text);
  expect(bodies).toEqual([text]);
  expect(connection?.reused).toBe(false);
});

it("events of one segment share a read", async () => {
  const events = ["data: 1\n\ndata: 2\n\n", "data: 3\n\n"].map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`);
  const server = await serveHttp((incoming, response) => {
    incoming.resume().on("end", () => {
      const { socket } = incoming;
      response.on("error", () => {});
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n");
      setTimeout(() => {
        socket.write(events[0]!);
        setTimeout(() => socket.write(`${events[1]!}0\r\n\r\n`), 20);
      }, 20);
    });
  });
  const { response, failure } = await wireTo(server.url).send(chunked);
  expect(failure).toBeNull();
  const found = response?.stream?.events ?? [];
  expect(found.map(({ data }) => data)).toEqual(["1", "2", "3"]);
  expect(found[1]?.read).toBe(found[0]?.read);
  expect(found[2]?.read).toBeGreaterThanOrEqual(found[0]?.read ?? 0);
});

it("an answer of HTTP/1.0 is recorded as one", async () => {
  const server = await serveTcp((socket) => socket.once("data", () => socket.end("HTTP/1.0 501 Not Implemented\r\n\r\n")));
  const { response } = await wireTo(server.url).send(chunked);
  expect(response).toMatchObject({ status: 501, version: "1.0" });
});

const ends: readonly (readonly [name: string, answer: string, kind: string])[] = [
  ["nothing", "", "connection-closed"],
  ["half a body", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf", "incomplete-body"],
  ["half a chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab", "incomplete-body"],
  ["no HTTP", "hello\r\n\r\n", "invalid-http"],
  ["a head without end", `HTTP/1.1 200 OK\r\na: ${"x".repeat(70_000)}\r\n\r\n`, "invalid-http"],
];

it.each(ends)("%s in answer to it is reported as what it is", async (_name, answer, kind) => {
  const server = await serveTcp((socket) => socket.once("data", () => socket.end(answer)));
  const exchange = await wireTo(server.url).send(chunked);
  expect(exchange.failure?.kind).toBe(kind);
});

it.each(["connection: upgrade\r\nupgrade: websocket\r\n", ""])(
  "another protocol in answer to it, %j, is no HTTP, and is not waited for",
  async (fields) => {
    const server = await serveTcp((socket) =>
      socket.once("data", () => socket.write(`HTTP/1.1 101 Switching Protocols\r\n${fields}\r\n`)),
    );
    const exchange = await wireTo(server.url, { timeoutMs: 3_600_000 }).send(chunked);
    expect(exchange.failure?.kind).toBe("invalid-http");
  },
);

it("a client that waits for no longer gives it up", async () => {
  const server = await serveAnswers(() => {});
  const exchange = await wireTo(server.url, { timeoutMs: 1000 }).send(chunked);
  expect(exchange.failure?.kind).toBe("timeout");
});

it("a refused connection is no answer", async () => {
  const server = await serveHttp(() => {});
  await server.close();
  const exchange = await wireTo(server.url).send(chunked);
  expect(exchange.failure?.kind).toBe("connect-refused");
});

describe("a request that expects 100 Continue", () => {
  const expecting: SendRequest = { ...chunked, headers: { expect: "100-continue" } };
  const bodyOf = (received: string): string => received.split(/\r\n\r\n(.*)/s)[1] ?? "";
  /** A server that reacts to what it received so far, as text. */
  const serve = (react: (received: string, socket: Socket) => void): ReturnType<typeof serveTcp> =>
    serveTcp((socket) => {
      let received = "";
      socket.on("data", (bytes: Buffer) => react((received += bytes.toString()), socket));
    });

  /** The answer that a client reports which waits for as long as it takes. */
  const sendPatiently = (port: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const client = new FramedClient({
        authority: `127.0.0.1:${port}`,
        readHeaders: createHeaderReader((field) => field),
        expectationMs: 3_600_000,
        connect: async () => {
          const socket = connect({ host: "127.0.0.1", port });
          await once(socket, "connect");
          return socket;
        },
      });
      let answer = "";
      const fields = { sent: ["expect", "100-continue"], shown: [], lines: null };
      client.dispatch(
        { method: "POST", path: "/", fields, body: Buffer.from(text) },
        {
          onConnect: () => {},
          onRead: () => {},
          onHead: (status) => (answer += `${status} `),
          onData: (piece) => (answer += piece.toString()),
          onComplete: () => resolve(answer),
          onError: reject,
        },
      );
    });

  it("sends its body, whose length is stated, once it is asked for it", async () => {
    const seen: string[] = [];
    const server = await serve((received, socket) => {
      seen.push(received);
      if (bodyOf(received) === "") socket.write("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n");
      else if (bodyOf(received) === text) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
    });
    expect(await sendPatiently(server.port)).toBe("200 {}");
    expect(seen[0]).toMatch(/\r\n\r\n$/);
    expect(seen[0]).toMatch(new RegExp(`\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`, "i"));
  });

  it("sends no body where the final answer comes first", async () => {
    let received = "";
    const server = await serve((all, socket) => {
      received = all;
      socket.write("HTTP/1.1 401 Unauthorized\r\ncontent-length: 4\r\n\r\nkey?");
    });
    expect(await sendPatiently(server.port)).toBe("401 key?");
    expect(bodyOf(received)).toBe("");
  });

  it("sends its body after a moment to a server that does not ask for it", async () => {
    const server = await serve((received, socket) => {
      if (bodyOf(received) === text) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
    });
    const exchange = await wireTo(server.url).send(expecting);
    expect(exchange.response).toMatchObject({ status: 200, body: { text: "{}" } });
    expect(exchange.request.headers).toContainEqual(["expect", "100-continue"]);
  });

  it("sends its body well before the answer is given up", async () => {
    let received = "";
    const server = await serve((all) => (received = all));
    const exchange = await wireTo(server.url, { timeoutMs: 240 }).send(expecting);
    expect(exchange.failure?.kind).toBe("timeout");
    expect(bodyOf(received)).toBe(text);
  });

  it("is left without an answer where none follows the 100", async () => {
    const server = await serve((received, socket) => {
      if (bodyOf(received) === "") socket.write("HTTP/1.1 100 Continue\r\n\r\n");
    });
    const exchange = await wireTo(server.url, { timeoutMs: 50 }).send(expecting);
    expect(exchange.failure?.kind).toBe("timeout");
  });

  it("can be in chunks as well", async () => {
    const server = await serveHttp((incoming, response) => incoming.pipe(response));
    const both = { ...expecting, headers: { ...expecting.headers, ...chunked.headers } };
    const { response } = await wireTo(server.url).send(both);
    expect(response?.body?.text).toBe(text);
  });
});
