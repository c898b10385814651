import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import { serveHttp } from "../make/wire/test-server.ts";
import { modelsRequest, wireTo } from "../make/wire/wire-to.ts";

describe.each(["load", "conformance"] as const)("giving up what is in flight (%s)", (stage) => {
  it("keeps what was received, sends nothing that still waits, and sends what comes after", async () => {
    const seen: string[] = [];
    let begun = (): void => {};
    const beginning = new Promise<void>((resolve) => (begun = resolve));
    const server = await serveHttp((incoming, response) => {
      seen.push(incoming.url ?? "");
      if (incoming.url === "/after") {
        response.end("{}");
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: one\n\ndata: two\n\n", () => begun());
    });
    const wire = wireTo(server.url);
    const send = (path: string): Promise<Exchange> => wire.send({ ...modelsRequest, stage, path, connection: 1 });
    // The second waits for the slot of the first.
    const first = send("/first");
    const second = send("/second");
    await beginning;
    await setTimeout(50);
    wire.giveUp();
    const exchanges = await Promise.all([first, second]);
    expect(exchanges.map(({ failure }) => failure?.kind)).toEqual(["aborted", "aborted"]);
    expect(exchanges[0]?.response?.stream?.events.map(({ data }) => data)).toEqual(["one", "two"]);
    expect(exchanges[1]?.connection).toBeNull();
    const after = await send("/after");
    expect([after.response?.status, after.failure, seen]).toEqual([200, null, ["/first", "/after"]]);
  });
});
