import { createServer } from "node:http";
import { createRandom } from "../../src/core/random.ts";
import { queueServers } from "./queues.ts";

/**
 * Queues of known law behind sockets, M/M/8 each: `tsx bench/statistics/queue-server.ts SERVICE_MS` prints its port. The path names
 * the queue (`/7/v1/models`), which begins empty. An answer leaves when its service ends, and states in a field how long its wait
 * and its service were. The end is counted from the ends before it, so that a late timer delays its own answer and no other one.
 */
const serviceMs = Number(process.argv[2] ?? 200);
const body = JSON.stringify({ object: "list", data: [{ id: "known", object: "model", created: 1, owned_by: "bench" }] });

interface Queue {
  readonly free: Float64Array;
  readonly service: () => number;
}

const queues = new Map<string, Queue>();

function queueOf(name: string): Queue {
  let queue = queues.get(name);
  if (queue === undefined) {
    const random = createRandom(Number(name)).fork("services");
    queue = { free: new Float64Array(queueServers), service: () => -serviceMs * Math.log(1 - random.next()) };
    queues.set(name, queue);
  }
  return queue;
}

const server = createServer((request, response) => {
  const now = performance.now();
  const { free, service } = queueOf(request.url?.split("/")[1] ?? "");
  const first = free.indexOf(Math.min(...free));
  const end = Math.max(now, free[first] ?? 0) + service();
  free[first] = end;
  response.setHeader("content-type", "application/json");
  response.setHeader("x-sojourn-ms", (end - now).toFixed(3));
  // A timer fires half a millisecond late on average.
  setTimeout(() => response.end(body), Math.max(0, end - now - 0.5));
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") console.log(address.port);
});
process.stdin.resume().on("end", () => process.exit(0));
