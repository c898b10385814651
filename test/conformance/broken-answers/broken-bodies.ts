import { gzipSync } from "node:zlib";
import { type BrokenAnswer, changed } from "./broken-answer.ts";

const mark = Buffer.from([0xef, 0xbb, 0xbf]);

const completion =
  '{"id":"chatcmpl-1","object":"chat.completion","created":1795512600,"model":"reference-chat","choices":[{"index":0,"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}';

/** Bodies of success that cannot be read, or say something else than they should. */
export const brokenBodies: readonly BrokenAnswer[] = [
  { name: "a byte order mark before the JSON", of: "models", change: ({ body }) => ({ body: Buffer.concat([mark, body]) }) },
  { name: "a zero width space before the JSON", of: "chat", change: ({ body }) => ({ body: `\u200b${body.toString()}` }) },
  { name: "a NUL behind the JSON", of: "chat", change: ({ body }) => ({ body: `${body.toString()}\0` }) },
  { name: "gzip in name only", of: "models", change: () => ({ headers: { "content-encoding": "gzip" } }) },
  { name: "gzip that nobody names", of: "chat", change: () => ({ body: gzipSync(completion) }) },
  {
    name: "gzip that is cut",
    of: "chat",
    change: () => ({ headers: { "content-encoding": "gzip" }, body: gzipSync(completion).subarray(0, 60) }),
  },
  { name: "a coding that nobody asked for", of: "chat", change: () => ({ headers: { "content-encoding": "zstd" } }) },
  { name: "an empty body", of: "chat", change: () => ({ body: "" }) },
  {
    name: "JSON that is cut, with a length that fits",
    of: "chat",
    change: ({ body }) => ({ body: body.subarray(0, body.length - 30) }),
  },
  {
    name: "JSON with text behind it",
    of: "chat",
    change: ({ body }) => ({ body: `${body.toString()}\n<!-- served by cache-7 -->` }),
  },
  { name: "two objects in a row", of: "models", change: ({ body }) => ({ body: `${body.toString()}${body.toString()}` }) },
  { name: "UTF-16", of: "models", change: ({ body }) => ({ body: Buffer.from(body.toString(), "utf16le") }) },
  {
    name: "Latin-1 under a name of its own",
    of: "chat",
    change: (answer) => ({
      headers: { "content-type": "application/json; charset=iso-8859-1" },
      body: Buffer.from(withText(answer.body, "größer"), "latin1"),
    }),
  },
  {
    name: "bytes that are no UTF-8",
    of: "chat",
    change: (answer) => ({ body: Buffer.from(withText(answer.body, "größer"), "latin1") }),
  },
  {
    name: "NaN in a vector",
    of: "embeddings",
    change: ({ body }) => ({ body: body.toString().replace(/\[-?[\d.e-]+,/, "[NaN,") }),
  },
  { name: "single quotes", of: "models", change: ({ body }) => ({ body: body.toString().replaceAll('"', "'") }) },
  { name: "an array in place of an object", of: "models", change: (answer) => changed(answer, ({ data }) => data) },
  { name: "JSON inside a string", of: "chat", change: ({ body }) => ({ body: JSON.stringify(body.toString()) }) },
  {
    name: "an error object under 200",
    of: "chat",
    change: () => ({ body: '{"error":{"code":"model_overloaded","message":"The model is overloaded, try again later."}}' }),
  },
  { name: "no choices", of: "chat", change: (answer) => changed(answer, (body) => ({ ...body, choices: [] })) },
  {
    name: "content that is null",
    of: "chat",
    change: (answer) => changed(answer, (body) => void (body.choices[0]!.message.content = null)),
  },
  {
    name: "usage that does not add up",
    of: "chat",
    change: (answer) => changed(answer, (body) => void (body.usage.total_tokens += 7)),
  },
  {
    name: "counts of tokens as texts",
    of: "embeddings",
    change: (answer) => changed(answer, (body) => void (body.usage.prompt_tokens = String(body.usage.prompt_tokens))),
  },
  { name: "created in milliseconds", of: "chat", change: (answer) => changed(answer, (body) => void (body.created *= 1000)) },
  {
    name: "the model of somebody else",
    of: "chat",
    change: (answer) => changed(answer, (body) => void (body.model = "other-model-9")),
  },
  {
    name: "a list that names itself wrongly",
    of: "models",
    change: (answer) => changed(answer, (body) => void (body.object = "List")),
  },
  {
    name: "an image that is no image",
    of: "images",
    change: (answer) => changed(answer, (body) => void (body.data = [{ b64_json: "bm90IGFuIGltYWdl" }])),
  },
  { name: "a transcript without text", of: "audio", change: () => ({ body: '{"transcript":"hello"}' }) },
];

/** The JSON of an answer with a text of our own, so that its bytes are known. */
function withText(body: Buffer, text: string): string {
  return body.toString().replace(/"content":"(?:[^"\\]|\\.)*"/, `"content":"${text}"`);
}
