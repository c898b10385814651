import { type Attack, drip, events, flood, json, megabyte } from "../attack.ts";

const chunk = '{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"x"}}]}';

/** Events once, and then nothing. */
function stall(text: string): Attack["answer"] {
  return (socket) => void socket.write(`${events}${text}`);
}

export const streamAttacks: readonly Attack[] = [
  { id: "tiny events without end", answer: flood(events, "data:1\n\n".repeat(65_536)) },
  { id: "chunks without end", answer: flood(events, `data: ${chunk}\n\n`.repeat(500)) },
  { id: "one event without end", answer: flood(events, `data: ${"x".repeat(1000)}\n`.repeat(500)) },
  { id: "empty data lines without end", answer: flood(events, "data\n".repeat(100_000)) },
  { id: "events without a line end", answer: flood(events, "x".repeat(megabyte)) },
  { id: "comments without end", answer: flood(events, ": keep\n\n".repeat(65_536)) },
  { id: "carriage returns without end", answer: flood(events, "\r".repeat(megabyte)) },
  {
    id: "ids and retries without end",
    answer: flood(
      events,
      `id: ${"9".repeat(400)}\nretry: ${"9".repeat(400)}\nevent: ${"e".repeat(400)}\ndata: {}\n\n`.repeat(500),
    ),
  },
  { id: "events nested 100,000 deep", answer: flood(events, `data: ${'{"a":'.repeat(100_000)}\n\n`, 60 * megabyte) },
  { id: "events that drip without end", answer: drip(events, `data: ${chunk}\n\n`, 100) },
  { id: "comments that drip without end", answer: drip(events, ": keep\n\n", 100) },
  { id: "events that stall", answer: stall(`data: ${chunk}\n\n`) },
  { id: "a stream that ends and never closes", answer: stall(`data: ${chunk}\n\ndata: [DONE]\n\n`) },
  {
    id: "a stream that is reset",
    answer: (socket) => socket.write(`${events}data: {"choices":[{"del`, () => socket.resetAndDestroy()),
  },
  { id: "a body that drips without end", answer: drip(`${json}content-length: 1000000\r\n\r\n`, " ", 100) },
];
