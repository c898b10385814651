/** The places of an answer that may hold a text: each gives the bytes of an answer that has it there. */
export const places: Readonly<Record<string, (text: string) => string>> = {
  reason: (text) => json({}, `400 ${flat(text)}`),
  "status line": (text) => `HTTP/1.1 ${flat(text)}\r\n\r\n`,
  "another protocol": (text) => `${flat(text)} 200 OK\r\n\r\n`,
  "a line that is no field": (text) => `HTTP/1.1 200 OK\r\n${flat(text)}\r\n\r\n`,
  "names of fields": (text) => withFields(`${text.replaceAll(/[^!#$%&'*+.^_`|~0-9A-Za-z-]/g, "")}: x\r\n`),
  fields: (text) => withFields(fieldNames.map((name) => `${name}: ${flat(text)}\r\n`).join("")),
  "a length": (text) => withFields(`content-length: ${flat(text)}\r\n`),
  coding: (text) => withFields(`content-encoding: ${flat(text)}\r\n`),
  "transfer coding": (text) => withFields(`transfer-encoding: ${flat(text)}\r\n`),
  "a chunk": (text) => withFields("transfer-encoding: chunked\r\n", `2;a="${flat(text)}"\r\n{}\r\n${flat(text)}\r\n`),
  trailers: (text) => withFields("transfer-encoding: chunked\r\n", `2\r\n{}\r\n0\r\nx-t: ${flat(text)}\r\n\r\n`),
  "names of members": (text) =>
    json({ object: "list", data: [{ [text]: 1, id: "m" }], error: { [text]: text }, usage: { [text]: 1 } }),
  "ids and models": (text) =>
    json({ object: text, id: text, model: text, data: [{ id: text, object: "model", owned_by: text }] }),
  answers: (text) =>
    json({ choices: [{ index: 0, message: { role: text, content: text, refusal: text }, finish_reason: text }] }),
  errors: (text) =>
    json({ error: { code: text, type: text, message: text, details: [{ field: text, expected: text }] } }, "400 X"),
  refusals: (text) => json({ error: text, cap_type: text, retry_after_ms: text, "retry-after": text }, "429 X"),
  usage: (text) => json({ aggregate: { total_tokens: 1, [text]: text }, data: [{ timestamp: text, cost_usd: text }] }),
  text: (text) => answer(text, "text/plain"),
  page: (text) => answer(`<title>${text}</title>${text}`, "text/html", "502 Bad Gateway"),
  bytes: (text) => answer(`\u0000\u0001${text}\u0002`, "image/png"),
  type: (text) => answer("{}", `application/${flat(text)}; charset="${flat(text)}"`),
  events: (text) =>
    answer(
      `event: ${flat(text)}\nid: ${flat(text)}\nretry: ${flat(text)}\n${flat(text)}: x\n: ${flat(text)}\ndata: ${JSON.stringify({
        id: text,
        choices: [{ index: 0, delta: { content: text, [text]: text } }],
      })}\n\ndata: ${flat(text)}\n\ndata: [DONE]\n\n${flat(text)}`,
      "text/event-stream",
    ),
};

const fieldNames: readonly string[] = [
  "retry-after",
  "x-ratelimit-limit-requests",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-reset-requests",
  "www-authenticate",
  "server",
  "date",
  "x-request-id",
  "set-cookie",
  "location",
  "server-timing",
];

/** In one line. */
function flat(text: string): string {
  return text.replaceAll(/[\r\n\0]/g, " ");
}

function withFields(fields: string, body = "{}"): string {
  const length = /^(?:content-length|transfer-encoding)/.test(fields) ? "" : `content-length: ${body.length}\r\n`;
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${fields}${length}connection: close\r\n\r\n${body}`;
}

function answer(text: string, type: string, status = "200 OK"): string {
  return `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

function json(value: unknown, status = "200 OK"): string {
  return answer(JSON.stringify(value), "application/json", status);
}
