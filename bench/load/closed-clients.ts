import { Agent, Client, fetch as undiciFetch } from "undici";
import { createRealClock } from "../../src/wire/clock/real-clock.ts";
import { unknownErrors, type Measure } from "./client-figures.ts";
import { runEngine } from "./run-engine.ts";

const closedEngine =
  (judged: boolean): Measure =>
  async (connections, seconds, url) => {
    const change = { arrivals: { kind: "closed", concurrency: connections }, durationSeconds: seconds };
    const result = await runEngine({ url, change, judged, clock: createRealClock() });
    return { items: result.counts.completed, seconds, ...unknownErrors, note: "" };
  };

const closedDispatch: Measure = async (connections, seconds, url) => {
  const until = performance.now() + 1000 * seconds;
  let items = 0;
  const once = (client: Client): Promise<void> =>
    new Promise((resolve, reject) => {
      client.dispatch(
        { path: "/v1/models", method: "GET" },
        { onConnect() {}, onHeaders: () => true, onData: () => true, onComplete: () => resolve(), onError: reject },
      );
    });
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new Client(url);
      while (performance.now() < until) {
        await once(client);
        items += 1;
      }
      await client.destroy();
    }),
  );
  return { items, seconds, ...unknownErrors, note: "" };
};

const closedFetch: Measure = async (connections, seconds, url) => {
  const dispatcher = new Agent({ connections });
  const until = performance.now() + 1000 * seconds;
  let items = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < until) {
        await (await undiciFetch(`${url}/v1/models`, { dispatcher })).text();
        items += 1;
      }
    }),
  );
  await dispatcher.destroy();
  return { items, seconds, ...unknownErrors, note: "" };
};

const closedAutocannon: Measure = async (connections, seconds, url) => {
  const { default: autocannon } = await import("autocannon");
  const result = await autocannon({ url: `${url}/v1/models`, connections, duration: seconds });
  return { items: result.requests.total, seconds: result.duration, ...unknownErrors, note: "" };
};

/** Closed loops: as many requests as connections are under way at any time. */
export const closedClients: Readonly<Record<string, Measure>> = {
  "closed assay": closedEngine(true),
  "closed assay, not judged": closedEngine(false),
  "closed dispatch": closedDispatch,
  "closed fetch": closedFetch,
  "closed autocannon": closedAutocannon,
};
