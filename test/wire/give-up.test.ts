import { describe, expect, it } from "vitest";
import type { SendRequest } from "../../src/core/exchange/send-request.ts";
import { createRealClock } from "../../src/wire/clock/real-clock.ts";
import { createWire } from "../../src/wire/client/wire.ts";
import { manifestFor } from "../load/load-target.ts";
import { serveHttp } from "./test-server.ts";

const request = (stage: SendRequest["stage"], path: string, connection: SendRequest["connection"]): SendRequest => ({
  stage,
  caseId: "give-up",
  label: path,
  intent: { kind: "housekeeping", purpose: "test" },
  endpoint: null,
  method: "GET",
  path,
  credential: { kind: "bearer", key: "primary" },
  ...(connection === undefined ? {} : { connection }),
});

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
    const clock = createRealClock();
    const wire = createWire({ manifest: manifestFor(server.url), clock });
    // The second waits for the slot of the first.
    const first = wire.send(request(stage, "/first", 1));
    const second = wire.send(request(stage, "/second", 1));
    await beginning;
    await clock.sleep(50);
    wire.giveUp();
    const exchanges = await Promise.all([first, second]);
    expect(exchanges.map(({ failure }) => failure?.kind)).toEqual(["aborted", "aborted"]);
    expect(exchanges[0]?.response?.stream?.events.map(({ data }) => data)).toEqual(["one", "two"]);
    expect(exchanges[1]?.connection).toBeNull();
    const after = await wire.send(request(stage, "/after", 1));
    expect([after.response?.status, after.failure, seen]).toEqual([200, null, ["/first", "/after"]]);
    await wire.close();
  });
});
