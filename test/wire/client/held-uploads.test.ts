import { expect, it } from "vitest";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { serveHttp } from "../../make/wire/test-server.ts";
import { streamedChat, wireTo } from "../../make/wire/wire-to.ts";

const held: SendRequest = {
  ...streamedChat,
  stage: "limits",
  body: { kind: "json", value: { text: "x".repeat(400) } },
  holdUploadMs: 1000,
};

it("uploads whose second half is held back are all under way at once, and arrive whole", async () => {
  let underWay = 0;
  let most = 0;
  const bodies: string[] = [];
  const server = await serveHttp((incoming, response) => {
    most = Math.max(most, (underWay += 1));
    let text = "";
    incoming.on("data", (piece: Buffer) => (text += piece.toString()));
    incoming.on("end", () => {
      bodies.push(text);
      underWay -= 1;
      response.end("{}");
    });
  });
  const exchanges = await wireTo(server.url).burst([held, held, held, held]);
  expect(exchanges.map(({ response }) => response?.status)).toEqual([200, 200, 200, 200]);
  expect(most).toBe(4);
  expect(new Set(bodies)).toEqual(new Set([JSON.stringify({ text: "x".repeat(400) })]));
});

it("an answer that comes before the second half is the answer", async () => {
  const server = await serveHttp((_incoming, response) => {
    response.writeHead(429, { "retry-after": "7" });
    response.end("{}");
  });
  const exchanges = await wireTo(server.url).burst([held, held]);
  expect(exchanges.map(({ response, failure }) => [response?.status, failure])).toEqual([
    [429, null],
    [429, null],
  ]);
});
