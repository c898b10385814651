import type { Random } from "../../src/core/random.ts";

/** A server of known capacity in virtual time: latencies in units of a mean service time. */
export interface KnownServer {
  readonly name: string;
  readonly of: "rate" | "concurrency";
  readonly from: number;
  readonly to: number;
  /** The highest level at which 95 % of the requests end within `boundOf` the level. */
  readonly knee: number;
  /** An answer is good within this. */
  readonly bound: number;
  /** Latencies of so many requests at a level, in order, from an empty server. */
  run(level: number, requests: number, random: Random): Float64Array;
}

const exponential = (random: Random): number => -Math.log(1 - random.next());

/** First come, first served by `servers`, each as fast as the others; Poisson arrivals. */
function openQueue(servers: number): KnownServer["run"] {
  return (rate, requests, random) => {
    const free = new Float64Array(servers);
    let now = 0;
    return Float64Array.from({ length: requests }, () => {
      now += exponential(random) / rate;
      let first = 0;
      for (let server = 1; server < servers; server += 1) if ((free[server] ?? 0) < (free[first] ?? 0)) first = server;
      const end = Math.max(now, free[first] ?? 0) + exponential(random);
      free[first] = end;
      return end - now;
    });
  };
}

/** The same servers, asked by a fixed number of clients that wait for their answers. */
function closedQueue(servers: number): KnownServer["run"] {
  return (clients, requests, random) => {
    const free = new Float64Array(servers);
    const asks = new Float64Array(clients);
    return Float64Array.from({ length: requests }, () => {
      let client = 0;
      for (let one = 1; one < clients; one += 1) if ((asks[one] ?? 0) < (asks[client] ?? 0)) client = one;
      let first = 0;
      for (let server = 1; server < servers; server += 1) if ((free[server] ?? 0) < (free[first] ?? 0)) first = server;
      const asked = asks[client] ?? 0;
      const end = Math.max(asked, free[first] ?? 0) + exponential(random);
      free[first] = end;
      asks[client] = end;
      return end - asked;
    });
  };
}

/** Time beyond which an M/M/m request ends with this probability (Erlang C). */
function openTail(servers: number, rate: number, bound: number): number {
  if (rate >= servers) return 1;
  let blocked = 1;
  for (let server = 1; server <= servers; server += 1) blocked = (rate * blocked) / (server + rate * blocked);
  const wait = (servers * blocked) / (servers - rate * (1 - blocked));
  const drain = servers - rate;
  if (Math.abs(drain - 1) < 1e-9) return Math.exp(-bound) * (1 + wait * bound);
  return Math.exp(-bound) + (wait * (Math.exp(-bound) - Math.exp(-drain * bound))) / (drain - 1);
}

/** So many exponential times of this rate together take longer than `bound`. */
function erlangTail(count: number, rate: number, bound: number): number {
  let term = Math.exp(-rate * bound);
  let sum = 0;
  for (let index = 0; index < count; index += 1) {
    sum += term;
    term *= (rate * bound) / (index + 1);
  }
  return Math.min(1, sum);
}

function openKnee(servers: number, bound: number): number {
  let [low, high] = [0, servers];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (openTail(servers, middle, bound) <= 0.05) low = middle;
    else high = middle;
  }
  return low;
}

/** Clients in front of one server: an answer takes the services of all of them. */
function closedKnee(bound: number): number {
  let clients = 1;
  while (erlangTail(clients + 1, 1, bound) <= 0.05) clients += 1;
  return clients;
}

/** A step of a batch serves all that are in it and takes longer for each; the spread is that of the token times of a request. */
const batch = { alone: 1, each: 0.05, spread: 0.08 };

export const knownServers: readonly KnownServer[] = [
  { name: "M/M/1, answers within 10", of: "rate", from: 0.05, to: 4, bound: 10, knee: openKnee(1, 10), run: openQueue(1) },
  { name: "M/M/1, answers within 20", of: "rate", from: 0.05, to: 4, bound: 20, knee: openKnee(1, 20), run: openQueue(1) },
  { name: "M/M/8, answers within 4", of: "rate", from: 0.5, to: 64, bound: 4, knee: openKnee(8, 4), run: openQueue(8) },
  { name: "M/M/8, answers within 6", of: "rate", from: 0.5, to: 64, bound: 6, knee: openKnee(8, 6), run: openQueue(8) },
  { name: "M/M/1, closed", of: "concurrency", from: 1, to: 256, bound: 30, knee: closedKnee(30), run: closedQueue(1) },
  {
    name: "batching, time of a token",
    of: "concurrency",
    from: 1,
    to: 1024,
    bound: 3,
    // 95 % of normal times lie below the mean and 1.645 deviations.
    knee: Math.floor((3 / (1 + 1.6449 * batch.spread) - batch.alone) / batch.each),
    run: (clients, requests, random) =>
      Float64Array.from({ length: requests }, () => {
        const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
        return (batch.alone + batch.each * clients) * (1 + batch.spread * normal);
      }),
  },
];
