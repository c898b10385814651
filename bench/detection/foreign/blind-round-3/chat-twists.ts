import { type Call, refuse, reply } from "../reply.ts";
import { type Bag, chatFaults } from "../rules.ts";
import { askedOf, bagOf, listOf, rewrite, type Twist } from "../twist.ts";

const askedChat = (call: Call): Bag | null => (call.endpoint === "chat" ? askedOf(call) : null);
const keptMs = 60_000;

/** Mistakes in completions, in streams and in embeddings. */
export const chatTwists: readonly Omit<Twist, "isLawful">[] = [
  {
    id: "blind3/chat-max-tokens-lost-with-tools",
    says: "max_tokens is not passed on when tools are given, so that the completion is as long as without it",
    lines: "106, 109",
    make: () => ({
      work(call, { has }) {
        const asked = askedChat(call);
        if (asked === null || listOf(asked["tools"]).length === 0 || chatFaults(asked, has).length > 0) return;
        rewrite(call, { max_tokens: undefined });
      },
    }),
  },
  {
    id: "blind3/chat-temperature-below-zero-raised",
    says: "a temperature below 0 is raised to 0 and served, while one above 2 is refused",
    lines: "107, 203, 243",
    make: () => ({
      work(call) {
        const temperature = askedChat(call)?.["temperature"];
        if (typeof temperature === "number" && temperature < 0) rewrite(call, { temperature: 0 });
      },
    }),
  },
  {
    id: "blind3/stream-cached-as-json",
    says: "a stream that differs in nothing else from a completion of the last minute is answered with that completion, as JSON",
    lines: "105, 189",
    make: () => {
      const kept = new Map<string, { atMs: number; value: unknown }>();
      const keyOf = (call: Call): string => `${call.holder} ${JSON.stringify({ ...askedOf(call), stream: undefined })}`;
      return {
        work(call, desk) {
          if (askedChat(call)?.["stream"] !== true) return false;
          const found = kept.get(keyOf(call));
          if (found === undefined || found.atMs < desk.book.nowMs() - keptMs) return false;
          reply(desk, call, 200, found.value);
          return true;
        },
        answer(call, { status, value }, { book }) {
          if (call.endpoint === "chat" && status === 200) kept.set(keyOf(call), { atMs: book.nowMs(), value });
        },
      };
    },
  },
  {
    id: "blind3/stream-slots-leak",
    says: "a stream whose client hung up stays counted as open, and two of them make all later streams of the key 503, without a wait",
    lines: "105, 189, 207",
    make: () => {
      const abandoned = new Map<string, number>();
      return {
        work(call, desk) {
          const { holder, response } = call;
          if (holder === null || askedChat(call)?.["stream"] !== true) return false;
          if ((abandoned.get(holder) ?? 0) >= 2) {
            refuse(desk, call, 503, "too_many_streams");
            return true;
          }
          response.on("close", () => {
            if (!response.writableFinished) abandoned.set(holder, (abandoned.get(holder) ?? 0) + 1);
          });
          return false;
        },
      };
    },
  },
  {
    id: "blind3/vectors-batch-cut-at-16",
    says: "of a batch only the first 16 texts are embedded, though all are counted and charged",
    lines: "48, 118",
    make: () => ({
      answer(call, answer) {
        if (call.endpoint !== "vectors" || answer.status !== 200) return;
        const value = bagOf(answer.value);
        answer.value = { ...value, data: listOf(value["data"]).slice(0, 16) };
      },
    }),
  },
  {
    id: "blind3/vectors-blank-texts-dropped",
    says: "empty and blank texts of a batch are dropped, so that the list is shorter and the later indices move up",
    lines: "48, 118",
    make: () => ({
      work(call) {
        if (call.endpoint !== "vectors") return;
        const texts = listOf(askedOf(call)?.["input"]);
        const kept = texts.filter((text) => typeof text !== "string" || text.trim() !== "");
        if (kept.length > 0 && kept.length < texts.length) rewrite(call, { input: kept });
      },
    }),
  },
];
