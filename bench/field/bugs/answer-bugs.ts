import type { FieldAnswer } from "../engine/field-rules.ts";
import type { FieldBug } from "../field-bug.ts";

const isServed = ({ status }: FieldAnswer): boolean => status === 200;
const internal: FieldAnswer = {
  status: 500,
  headers: {},
  body: { error: { code: "internal_error", message: "list index out of range" } },
};

function textOf(event: string): string {
  const chunk = JSON.parse(event) as { readonly choices: readonly { readonly delta?: { readonly content?: string } }[] };
  return chunk.choices[0]?.delta?.content ?? "";
}

/** Answers, streams and errors of gateways. */
export const answerBugs: readonly FieldBug[] = [
  {
    reference: "QwenLM/qwen-code#3896",
    says: "each event of a stream repeats all text before it",
    stage: "check",
    missed: "texts that begin with all text before them are not compared",
    broken: () => ({
      events: (events) => {
        let text = "";
        return events.map((event) => {
          const own = textOf(event);
          if (own === "") return event;
          text += own;
          return event.replace(JSON.stringify(own), JSON.stringify(text));
        });
      },
    }),
  },
  {
    reference: "pattern-zones-co/koine#41",
    says: "streams state zero tokens, although their text arrives",
    stage: "check",
    broken: () => ({ stated: (usage, { streams }) => (streams ? { prompt: 0, completion: 0 } : usage) }),
  },
  {
    reference: "ggml-org/llama.cpp#14566",
    says: "a stream that failed is answered 200, with an error among its events",
    stage: "check",
    broken: () => ({
      events: (events) => [
        ...events.slice(0, 3),
        JSON.stringify({ error: { code: 500, message: "failed", type: "server_error" } }),
      ],
    }),
  },
  {
    reference: "azrtydxb/Fastllm-proxy#28",
    says: "a failure is answered 200 with an error object",
    stage: "check",
    broken: () => ({ chat: () => ({ error: { code: "upstream_error", message: "the provider failed" } }) }),
  },
  {
    reference: "letta-ai/letta#3381",
    says: "an empty list of messages is answered 500",
    stage: "check",
    broken: () => ({
      problem: (answer, call) =>
        Array.isArray(call?.body["messages"]) && call.body["messages"].length === 0 ? internal : answer,
    }),
  },
  {
    reference: "epam/ai-dial-adapter-openai#529",
    says: "a role that nobody knows is answered 500",
    stage: "check",
    broken: () => ({
      problem: (answer) => (answer.status === 422 && JSON.stringify(answer.body).includes("].role") ? internal : answer),
    }),
  },
  {
    reference: "gpustack/gpustack#4010",
    says: "every third valid request is answered that its model does not exist",
    stage: "check",
    broken: () => {
      let chats = 0;
      return {
        before: ({ operation }) =>
          operation === "chat" && (chats += 1) % 3 === 0
            ? { status: 404, headers: {}, body: { error: { code: "model_not_found", message: "model not found" } } }
            : null,
      };
    },
  },
  {
    reference: "square/moshi#169",
    says: "a byte order mark stands before the JSON",
    stage: "check",
    broken: () => ({
      after: (_call, answer) => (isServed(answer) ? { ...answer, body: `\uFEFF${JSON.stringify(answer.body)}` } : answer),
    }),
  },
  {
    reference: "envoyproxy/ai-gateway#683",
    says: "a body that is not packed is labelled gzip",
    stage: "check",
    broken: () => ({
      after: ({ operation }, answer) =>
        operation === "models" ? { ...answer, headers: { ...answer.headers, "content-encoding": "gzip" } } : answer,
    }),
  },
  {
    reference: "voyage-ai/voyageai-python#32",
    says: "the vector of the last text is NaN throughout",
    stage: "check",
    broken: () => ({
      vectors: (list) =>
        list.map((item, place) => {
          const { embedding } = item as { readonly embedding: string | readonly number[] };
          if (typeof embedding !== "string" || place < list.length - 1) return item;
          const values = Float32Array.from({ length: Buffer.from(embedding, "base64").length / 4 }, () => Number.NaN);
          return { ...item, embedding: Buffer.from(values.buffer).toString("base64") };
        }),
    }),
  },
  {
    reference: "smg-project/smg#2403",
    says: "an error in JSON is labelled text/event-stream",
    stage: "check",
    broken: () => ({
      problem: (answer, call) =>
        call?.streams === true ? { ...answer, headers: { ...answer.headers, "content-type": "text/event-stream" } } : answer,
    }),
  },
];
