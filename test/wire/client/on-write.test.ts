import { expect, it } from "vitest";
import { serveHttp } from "../../make/wire/test-server.ts";
import { streamedChat, wireTo } from "../../make/wire/wire-to.ts";

it.each(["load", "conformance"] as const)("a request of %s says when it is written, not when it was asked for", async (stage) => {
  const order: string[] = [];
  const server = await serveHttp((request, response) => {
    request.resume();
    order.push(`answer ${String(request.headers["x-name"])}`);
    setImmediate(() => response.end("{}"));
  });
  const wire = wireTo(server.url, { maxConnections: 1 });
  const exchanges = await Promise.all(
    ["one", "two"].map((name) =>
      wire.send({ ...streamedChat, stage, headers: { "x-name": name }, onWrite: () => void order.push(`write ${name}`) }),
    ),
  );
  expect(exchanges.map(({ response }) => response?.status)).toEqual([200, 200]);
  expect(order).toEqual(["write one", "answer one", "write two", "answer two"]);
});
