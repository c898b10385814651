import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { measureRoundTrips } from "../../src/wire/connect/measure-round-trips.ts";
import { serveTcp } from "../make/wire/test-server.ts";

it("times connections one after the other and sends nothing over them", async () => {
  let bytes = 0;
  let [open, most] = [0, 0];
  const server = await serveTcp((socket) => {
    open += 1;
    most = Math.max(most, open);
    socket.on("data", (piece) => (bytes += piece.length));
    socket.on("error", () => undefined);
    socket.on("close", () => (open -= 1));
  });
  const trips = await measureRoundTrips(`${server.url}/v1`, 4);
  expect(trips).toHaveLength(4);
  for (const ms of trips) expect(ms).toBeGreaterThan(0);
  expect([bytes, server.connections()]).toEqual([0, 4]);
});

it("has none of a target that takes no connections", async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  expect(await measureRoundTrips(`http://127.0.0.1:${port}`, 4)).toEqual([]);
});
