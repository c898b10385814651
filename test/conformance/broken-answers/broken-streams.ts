import type { BrokenAnswer, LawfulAnswer } from "./broken-answer.ts";

/** The events of a stream, without the empty lines between them. */
const eventsOf = ({ body }: LawfulAnswer): readonly string[] =>
  body
    .toString()
    .split("\n\n")
    .filter((event) => event !== "");
const streamOf = (events: readonly string[]): string => events.map((event) => `${event}\n\n`).join("");
const asStream = { framing: "chunked" } as const;

/** Streams of events that are broken in every way. */
export const brokenStreams: readonly BrokenAnswer[] = [
  {
    name: "a stream as application/json",
    of: "stream",
    change: () => ({ ...asStream, headers: { "content-type": "application/json" } }),
  },
  {
    name: "one JSON object in place of a stream",
    of: "stream",
    change: () => ({
      headers: { "content-type": "application/json" },
      body: '{"id":"x","object":"chat.completion","created":1795512600,"model":"reference-chat","choices":[{"index":0,"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}',
    }),
  },
  {
    name: "a stream without data:",
    of: "stream",
    change: (answer) => ({ ...asStream, body: streamOf(eventsOf(answer)).replaceAll("data: ", "") }),
  },
  {
    name: "a stream without empty lines",
    of: "stream",
    change: (answer) => ({ ...asStream, body: eventsOf(answer).join("\n") }),
  },
  { name: "a stream without an event", of: "stream", change: () => ({ ...asStream, body: "" }) },
  { name: "a stream of comments", of: "stream", change: () => ({ ...asStream, body: ": ping\n\n: ping\n\n" }) },
  {
    name: "an error inside a stream",
    of: "stream",
    change: (answer) => ({
      ...asStream,
      body: streamOf([
        ...eventsOf(answer).slice(0, 3),
        'data: {"error":{"code":"server_error","message":"CUDA out of memory"}}',
        "data: [DONE]",
      ]),
    }),
  },
  {
    name: "an error as the only event",
    of: "stream",
    change: () => ({ ...asStream, body: 'data: {"error":{"code":"server_error","message":"CUDA out of memory"}}\n\n' }),
  },
  {
    name: "a JSON error as text/event-stream",
    of: "stream",
    change: () => ({ ...asStream, body: '{"error":{"code":"server_error","message":"CUDA out of memory"}}' }),
  },
  {
    name: "an event whose JSON is cut",
    of: "stream",
    change: (answer) => ({
      ...asStream,
      body: streamOf(eventsOf(answer).map((event, at) => (at === 2 ? event.slice(0, -12) : event))),
    }),
  },
  {
    name: "a stream that is reset in the middle",
    of: "stream",
    change: (answer) => ({ ...asStream, body: streamOf(eventsOf(answer).slice(0, 3)), framing: "unfinished", isReset: true }),
  },
  {
    name: "a stream that ends without [DONE]",
    of: "stream",
    change: (answer) => ({ ...asStream, body: streamOf(eventsOf(answer).slice(0, -1)) }),
  },
  {
    name: "deltas that repeat all text before them",
    of: "stream",
    change: (answer) => ({ ...asStream, body: repeated(answer) }),
  },
  {
    name: "a stream with a byte order mark",
    of: "stream",
    change: (answer) => ({ ...asStream, body: `\ufeff${answer.body.toString()}` }),
  },
  {
    name: "a stream of plain text",
    of: "stream",
    change: () => ({ ...asStream, headers: { "content-type": "text/plain" }, body: "Hello there, here is your answer." }),
  },
];

function repeated(answer: LawfulAnswer): string {
  let text = "";
  return streamOf(
    eventsOf(answer).map((event) =>
      event.replace(/"content":"([^"]*)"/, (_, delta: string) => {
        text += delta;
        return `"content":"${text}"`;
      }),
    ),
  );
}
