import { createParser } from "eventsource-parser";
import { Agent, Client, fetch as undiciFetch } from "undici";
import { factsOf } from "../../src/core/exchange/exchange-facts.ts";
import { createRealClock } from "../../src/wire/clock/real-clock.ts";
import { monotonicMs, spreadOf, type Measure, type Measured } from "./client-figures.ts";
import { runEngine } from "./run-engine.ts";

const body = JSON.stringify({ model: "bench", messages: [{ role: "user", content: "hello" }], stream: true, max_tokens: 40 });
const starting = (connections: number): number => Math.min(2000, connections);

/** Gathers late stamps of one client. */
interface ErrorBook {
  event(atMs: number, trueMs: number): void;
  /** Time to the first event, as reported and as it was. */
  first(statedMs: number, trueMs: number): void;
  interval(lowMs: number, highMs: number, atMs: number, trueMs: number): void;
  figures(seconds: number, note: string): Measured;
}

function openErrorBook(): ErrorBook {
  const [events, firsts, intervals]: [number[], number[], number[]] = [[], [], []];
  let [upper, lower] = [0, 0];
  return {
    event: (atMs, trueMs) => void events.push(atMs - trueMs),
    first: (statedMs, trueMs) => void firsts.push(statedMs - trueMs),
    interval(lowMs, highMs, atMs, trueMs) {
      intervals.push(Math.abs((lowMs + highMs) / 2 - trueMs));
      // The server's own clock reading and ours differ by rounding.
      if (atMs >= trueMs - 0.002) upper += 1;
      if (lowMs <= trueMs + 0.1) lower += 1;
    },
    figures: (seconds, note) => ({
      items: events.length,
      seconds,
      errorMs: spreadOf(events),
      firstErrorMs: spreadOf(firsts),
      intervalErrorMs: spreadOf(intervals),
      boundsHeld: intervals.length === 0 ? null : { upper: upper / intervals.length, lower: lower / intervals.length },
      note,
    }),
  };
}

interface StampedEvent {
  readonly stamp_ns: number;
  readonly received_ns: number;
}

const streamAssay: Measure = async (connections, seconds, url) => {
  const book = openErrorBook();
  const clock = createRealClock();
  const offsetMs = clock.nowMs() - monotonicMs();
  const result = await runEngine({
    url,
    judged: true,
    clock,
    change: {
      arrivals: { kind: "bursts", bursts: [{ at: 0, size: connections }], spreadMs: starting(connections) },
      durationSeconds: seconds,
      workload: [{ endpoint: "chat" }],
    },
    onExchange: (exchange) => {
      const { response, timing } = exchange;
      const stream = response?.stream ?? null;
      if (stream === null) return;
      // Parsed for the judges already: reading the stamps is the bench's own business and should cost little.
      const values = factsOf(exchange).eventValues;
      for (const [place, event] of stream.events.entries()) {
        const reported = values[place] as StampedEvent | undefined;
        if (reported === undefined) continue;
        const [trueMs, receivedMs] = [reported.stamp_ns / 1e6 + offsetMs, reported.received_ns / 1e6 + offsetMs];
        book.event(event.atMs, trueMs);
        book.interval(event.earliestMs, event.latestMs ?? event.atMs, event.atMs, trueMs);
        if (place === 0) book.first(event.atMs - timing.sentMs, trueMs - receivedMs);
      }
    },
  });
  const ended = `ok ${result.outcomes.ok ?? 0}/${connections}`;
  return book.figures(seconds, result.validity.valid ? ended : `${ended} INVALID ${result.validity.reasons.join("; ")}`);
};

/** Reads the events of one stream for the clients that are not ours. */
function readEvents(book: ErrorBook, sentMs: () => number): (text: string, atMs: number) => void {
  let atMs = 0;
  let isFirst = true;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === "[DONE]") return;
      const reported = JSON.parse(data) as StampedEvent;
      const trueMs = reported.stamp_ns / 1e6;
      book.event(atMs, trueMs);
      if (isFirst) book.first(atMs - sentMs(), trueMs - reported.received_ns / 1e6);
      isFirst = false;
    },
  });
  return (text, readMs) => {
    atMs = readMs;
    parser.feed(text);
  };
}

/** Starts as many streams as connections, spread as the engine spreads them. */
async function spreadStarts(connections: number, start: () => Promise<void>): Promise<void> {
  await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      await new Promise((resolve) => setTimeout(resolve, (index / connections) * starting(connections)));
      await start();
    }),
  );
}

const streamDispatch: Measure = async (connections, seconds, url) => {
  const book = openErrorBook();
  await spreadStarts(connections, async () => {
    const client = new Client(url, { headersTimeout: 0, bodyTimeout: 0 });
    let sentMs = 0;
    const read = readEvents(book, () => sentMs);
    await new Promise<void>((resolve, reject) => {
      client.dispatch(
        { path: "/v1/chat/completions", method: "POST", body, headers: { "content-type": "application/json" } },
        {
          onConnect() {
            sentMs = monotonicMs();
          },
          onHeaders: () => true,
          onData: (chunk: Buffer) => {
            const atMs = monotonicMs();
            read(chunk.toString(), atMs);
            return true;
          },
          onComplete: () => resolve(),
          onError: reject,
        },
      );
    });
    await client.destroy();
  });
  return book.figures(seconds, "");
};

const streamFetch: Measure = async (connections, seconds, url) => {
  const dispatcher = new Agent({ connections, headersTimeout: 0, bodyTimeout: 0 });
  const book = openErrorBook();
  await spreadStarts(connections, async () => {
    const sentMs = monotonicMs();
    const read = readEvents(book, () => sentMs);
    const response = await undiciFetch(`${url}/v1/chat/completions`, { method: "POST", body, dispatcher });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      const atMs = monotonicMs();
      read(decoder.decode(chunk as Uint8Array, { stream: true }), atMs);
    }
  });
  await dispatcher.destroy();
  return book.figures(seconds, "");
};

/** Streams of events that tell when they were written. */
export const streamClients: Readonly<Record<string, Measure>> = {
  "stream assay": streamAssay,
  "stream dispatch": streamDispatch,
  "stream fetch": streamFetch,
};
