import { connect } from "node:net";
import { performance } from "node:perf_hooks";
import { parseHttpUrl } from "../http/target-url.ts";

/** Longer is no round trip of a network that anybody sends load over. */
const longestMs = 2000;

/**
 * Round trips to a target in milliseconds, by the time that TCP takes to connect: one packet there and one back, names resolved before,
 * nothing sent. One connection after the other; fewer than `count` where the target does not accept them.
 */
export async function measureRoundTrips(baseUrl: string, count: number): Promise<readonly number[]> {
  const { hostname, port, protocol } = parseHttpUrl(baseUrl);
  const host = hostname.replace(/^\[|\]$/g, "");
  const trips: number[] = [];
  for (let made = 0; made < count; made += 1) {
    const ms = await timeConnect(host, Number(port || (protocol === "https:" ? 443 : 80)));
    if (ms === null) break;
    trips.push(ms);
  }
  return trips;
}

function timeConnect(host: string, port: number): Promise<number | null> {
  return new Promise((resolve) => {
    let startMs = performance.now();
    const socket = connect({ host, port, noDelay: true });
    const settle = (ms: number | null): void => {
      socket.destroy();
      resolve(ms);
    };
    // An address after the name was resolved, and again where a second one is tried.
    socket.on("connectionAttempt", () => {
      startMs = performance.now();
    });
    socket.once("connect", () => settle(performance.now() - startMs));
    socket.once("error", () => settle(null));
    socket.setTimeout(longestMs, () => settle(null));
  });
}
