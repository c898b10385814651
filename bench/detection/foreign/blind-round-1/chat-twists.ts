import { chatModel } from "../work.ts";
import { refuse, refuseFaults } from "../reply.ts";
import { askedOf, bagOf, listOf, rewrite, type Twist } from "../twist.ts";

/** Mistakes in completions and in their streams. */
export const chatTwists: readonly Omit<Twist, "isLawful">[] = [
  {
    id: "blind1/chat-temperature-rounded",
    says: "the temperature is rounded to a whole number before its range is checked, so that 2.4 passes",
    lines: "107, 203, 243",
    make: () => ({
      work(call) {
        const temperature = askedOf(call)?.["temperature"];
        if (call.endpoint === "chat" && typeof temperature === "number") rewrite(call, { temperature: Math.round(temperature) });
      },
    }),
  },
  {
    id: "blind1/chat-false-streams",
    says: "stream: false streams, because only the presence of the member is looked at",
    lines: "105, 112",
    make: () => ({
      arrive(call) {
        if (call.endpoint === "chat" && askedOf(call)?.["stream"] === false) rewrite(call, { stream: true });
      },
    }),
  },
  {
    id: "blind1/chat-same-role-twice-refused",
    says: "two messages of one role in a row are answered 422",
    lines: "25, 104, 203",
    make: () => ({
      work(call, desk) {
        if (call.endpoint !== "chat") return false;
        const roles = listOf(askedOf(call)?.["messages"]).map((message) => bagOf(message)["role"]);
        const at = roles.findIndex((role, index) => index > 0 && role === roles[index - 1]);
        if (at < 0) return false;
        refuseFaults(desk, call, [{ at: `messages[${at}].role`, want: "another role than that of the message before" }]);
        return true;
      },
    }),
  },
  {
    id: "blind1/chat-parts-after-system",
    says: "the content is a list of parts when the conversation has a message of the role system",
    lines: "38",
    make: () => ({
      answer(call, answer) {
        if (call.endpoint !== "chat" || answer.status !== 200) return;
        const roles = listOf(askedOf(call)?.["messages"]).map((message) => bagOf(message)["role"]);
        if (!roles.includes("system")) return;
        const body = bagOf(answer.value);
        const choices = listOf(body["choices"]).map((choice) => {
          const message = bagOf(bagOf(choice)["message"]);
          return { ...bagOf(choice), message: { ...message, content: [{ type: "text", text: message["content"] }] } };
        });
        answer.value = { ...body, choices };
      },
    }),
  },
  {
    id: "blind1/chat-no-total-when-cut",
    says: "usage has no total_tokens when max_tokens cut the answer",
    lines: "39",
    make: () => ({
      answer(call, answer) {
        if (call.endpoint !== "chat" || answer.status !== 200) return;
        const body = bagOf(answer.value);
        if (bagOf(listOf(body["choices"])[0])["finish_reason"] !== "length") return;
        const { total_tokens: _total, ...usage } = bagOf(body["usage"]);
        answer.value = { ...body, usage };
      },
    }),
  },
  {
    id: "blind1/chat-unknown-model-served",
    says: "a model that does not exist is replaced by the default one and answered 200",
    lines: "37, 103",
    make: () => ({
      work(call) {
        const model = askedOf(call)?.["model"];
        if (call.endpoint === "chat" && typeof model === "string" && !model.startsWith(chatModel))
          rewrite(call, { model: chatModel });
      },
    }),
  },
  {
    id: "blind1/stream-max-tokens-ignored",
    says: "max_tokens is ignored in streams",
    lines: "109",
    make: () => ({
      work(call) {
        const asked = call.endpoint === "chat" ? askedOf(call) : null;
        if (asked?.["stream"] === true && Number(asked["max_tokens"]) > 0) rewrite(call, { max_tokens: undefined });
      },
    }),
  },
  {
    id: "blind1/stream-with-tools-as-json",
    says: "stream is ignored when tools are given",
    lines: "105, 106, 189",
    make: () => ({
      work(call) {
        const asked = call.endpoint === "chat" ? askedOf(call) : null;
        if (asked?.["stream"] === true && listOf(asked["tools"]).length > 0) rewrite(call, { stream: false });
      },
    }),
  },
  {
    id: "blind1/rate-streams-uncounted",
    says: "streams do not lower x-ratelimit-remaining-requests",
    lines: "215, 220",
    make: () => ({
      work(call, { book }) {
        if (call.endpoint !== "chat" || askedOf(call)?.["stream"] !== true || call.holder === null) return;
        call.reading = book.count(call.holder, "chat", -1);
      },
    }),
  },
  {
    id: "blind1/same-at-once-409",
    says: "a request that equals one in flight is answered 409",
    lines: "112, 123, 197-207",
    make: () => {
      const inFlight = new Set<string>();
      return {
        work(call, desk) {
          if (!["chat", "vectors"].includes(call.endpoint)) return false;
          const print = `${call.holder} ${call.endpoint} ${call.body.toString()}`;
          if (inFlight.has(print)) {
            refuse(desk, call, 409, "already_running");
            return true;
          }
          inFlight.add(print);
          call.response.on("close", () => inFlight.delete(print));
          return false;
        },
      };
    },
  },
];
