import type { ServerResponse } from "node:http";
import { type Call, refuseFaults } from "../reply.ts";
import { type Bag, chatFaults } from "../rules.ts";
import { askedOf, bagOf, listOf, type OpenCall, rewrite, type Twist } from "../twist.ts";
import { addCompletionTokens } from "./add-completion-tokens.ts";

const askedChat = (call: Call): Bag | null => (call.endpoint === "chat" ? askedOf(call) : null);
const lowered = (value: unknown): unknown => (typeof value === "string" ? value.toLowerCase() : value);

/** Text members that have a list of values, in small letters. */
function lowerChosen(call: OpenCall): void {
  const granularity = call.url.searchParams.get("granularity");
  if (call.endpoint === "usage" && granularity !== null) call.url.searchParams.set("granularity", granularity.toLowerCase());
  if (!["chat", "vectors", "images"].includes(call.endpoint)) return;
  const asked = askedOf(call) ?? {};
  const change: Record<string, unknown> = {};
  for (const name of ["reasoning_effort", "encoding_format", "size", "quality"]) {
    if (asked[name] !== undefined) change[name] = lowered(asked[name]);
  }
  if (Array.isArray(asked["messages"])) {
    change["messages"] = listOf(asked["messages"]).map((message) => {
      const { role } = bagOf(message);
      return typeof role === "string" ? { ...bagOf(message), role: role.toLowerCase() } : message;
    });
  }
  if (Object.keys(change).length > 0) rewrite(call, change);
}

/** Mistakes in completions, in their streams and in the reading of bodies. */
export const chatTwists: readonly Omit<Twist, "isLawful">[] = [
  {
    id: "blind2/chat-temperature-with-top-p-refused",
    says: "temperature and top_p in one request are answered 422, because only one of them may be changed",
    lines: "107, 108, 203",
    make: () => ({
      work(call, desk) {
        const asked = askedChat(call);
        if (asked?.["temperature"] === undefined || asked["top_p"] === undefined) return false;
        refuseFaults(desk, call, [{ at: "top_p", want: "nothing beside temperature" }]);
        return true;
      },
    }),
  },
  {
    id: "blind2/chat-reasoning-above-max-tokens",
    says: "with the effort high, 40 tokens of reasoning are added to the completion, also above max_tokens",
    lines: "109, 110",
    make: () => ({
      answer(call, answer, { book }) {
        if (answer.status === 200 && askedChat(call)?.["reasoning_effort"] === "high") addCompletionTokens(book, answer, 40);
      },
    }),
  },
  {
    id: "blind2/chat-last-message-alone",
    says: "of a conversation only the last message is given to the model and counted as prompt",
    lines: "9, 39, 104",
    make: () => ({
      work(call, { has }) {
        const asked = askedChat(call);
        if (asked !== null && chatFaults(asked, has).length === 0) {
          rewrite(call, { messages: listOf(asked["messages"]).slice(-1) });
        }
      },
    }),
  },
  {
    id: "blind2/chat-ids-come-round",
    says: "there are twelve identifiers of completions, which come round",
    lines: "34",
    make: () => {
      let count = 0;
      return {
        answer(call, answer) {
          if (call.endpoint !== "chat" || answer.status !== 200) return;
          count += 1;
          answer.value = { ...bagOf(answer.value), id: `c-${(count % 12) + 100}` };
        },
      };
    },
  },
  {
    id: "blind2/chat-usage-null-now-and-then",
    says: "usage is null in every fifth completion",
    lines: "39",
    make: () => {
      let count = 0;
      return {
        answer(call, answer) {
          if (call.endpoint !== "chat" || answer.status !== 200) return;
          count += 1;
          if (count % 5 === 0) answer.value = { ...bagOf(answer.value), usage: null };
        },
      };
    },
  },
  {
    id: "blind2/streams-mixed-at-once",
    says: "of streams in flight together every third event goes to another one",
    lines: "9, 99, 105",
    make: () => {
      const open = new Map<ServerResponse, (text: unknown) => boolean>();
      return {
        work(call) {
          if (askedChat(call)?.["stream"] !== true) return;
          const { response } = call;
          const write = response.write.bind(response);
          open.set(response, write);
          response.on("close", () => open.delete(response));
          let events = 0;
          response.write = (text: unknown): boolean => {
            events += 1;
            const other = [...open].find(([one]) => one !== response && one.headersSent && !one.writableEnded);
            return (events % 3 === 0 && other !== undefined ? other[1] : write)(text);
          };
        },
      };
    },
  },
  {
    id: "blind2/stream-lines-not-separated",
    says: "the lines of a stream follow each other without the empty line that ends an event",
    lines: "189",
    make: () => ({
      work(call) {
        if (askedChat(call)?.["stream"] !== true) return;
        const { response } = call;
        const [write, end] = [response.write.bind(response), response.end.bind(response)];
        const joined = (text: unknown): string => String(text).replaceAll("\r\n\r\n", "\r\n");
        response.write = (text: unknown): boolean => write(joined(text));
        response.end = (text?: unknown): ServerResponse =>
          end(typeof text === "string" ? joined(text) : text instanceof Buffer ? text : "");
      },
    }),
  },
  {
    id: "blind2/stream-refusals-inside",
    says: "a 429 on a request for a stream is sent with status 200 as an event of the stream",
    lines: "204, 226, 232",
    make: () => ({
      answer(call, answer) {
        if (answer.status !== 429 || askedChat(call)?.["stream"] !== true) return;
        answer.status = 200;
        answer.value = Buffer.from(`event: error\ndata: ${JSON.stringify(answer.value)}\n\n`);
        answer.heads = { "Content-Type": "text/event-stream" };
      },
    }),
  },
  {
    id: "blind2/values-any-case",
    says: "roles, efforts, encodings, sizes, qualities and granularities in capitals are taken",
    lines: "25, 110, 120, 131, 132, 158, 203",
    make: () => ({ work: lowerChosen }),
  },
  {
    id: "blind2/json-nan-taken",
    says: "NaN in a body for completions or embeddings is read as a number, and no range refuses it",
    lines: "95, 203",
    make: () => ({
      work(call) {
        if (!["chat", "vectors"].includes(call.endpoint) || askedOf(call) !== null) return;
        const text = call.body.toString().replaceAll(/([:,[]\s*)NaN(?=\s*[,}\]])/g, (_all, before: string) => `${before}1`);
        call.body = Buffer.from(text);
      },
    }),
  },
];
