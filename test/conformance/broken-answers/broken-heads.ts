import type { BrokenAnswer } from "./broken-answer.ts";

const page = "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>";
const html = { "content-type": "text/html" };

/** Wrong status, media type, redirects, framing, rate-limit fields, other head fields. */
export const brokenHeads: readonly BrokenAnswer[] = [
  {
    name: "502 with the HTML page of a proxy",
    of: "embeddings",
    change: () => ({ status: 502, headers: html, body: page }),
  },
  { name: "200 with the HTML page of a proxy", of: "chat", change: () => ({ headers: html, body: page }) },
  {
    name: "403 with the HTML page of a bot filter",
    of: "embeddings",
    change: () => ({
      status: 403,
      headers: html,
      body: "<html><title>Attention Required!</title>Sorry, you have been blocked</html>",
    }),
  },
  {
    name: "301 to the same path with a slash",
    of: "embeddings",
    change: ({ path }) => ({ status: 301, headers: { location: `${path}/` }, body: "" }),
  },
  {
    name: "307 to a page of login on another host",
    of: "models",
    change: () => ({ status: 307, headers: { location: "https://login.example/?next=%2Fv1%2Fmodels" }, body: "" }),
  },
  { name: "201 in place of 200", of: "embeddings", change: () => ({ status: 201 }) },
  {
    name: "204 without a body",
    of: "chat",
    change: () => ({ status: 204, headers: { "content-type": null }, framing: "close", body: "" }),
  },
  { name: "202 with a job to ask for", of: "images", change: () => ({ status: 202, body: '{"id":"job_1","status":"queued"}' }) },
  {
    name: "404 for an operation that should be there",
    of: "audio",
    change: () => ({ status: 404, headers: html, body: "404 page not found" }),
  },
  {
    name: "501 with words",
    of: "embeddings",
    change: () => ({ status: 501, headers: { "content-type": "text/plain" }, body: "not built" }),
  },
  { name: "no Content-Type", of: "chat", change: () => ({ headers: { "content-type": null } }) },
  { name: "JSON as text/plain", of: "models", change: () => ({ headers: { "content-type": "text/plain; charset=utf-8" } }) },
  {
    name: "two Content-Type fields",
    of: "chat",
    change: () => ({ headers: { "content-type": ["application/json", "text/html"] } }),
  },
  {
    name: "a length that is too long, then silence of the connection",
    of: "chat",
    change: ({ body }) => ({ framing: { length: body.length + 20 } }),
  },
  { name: "a length that is too short", of: "chat", change: ({ body }) => ({ framing: { length: body.length - 20 } }) },
  { name: "chunks without the last one", of: "chat", change: () => ({ framing: "unfinished" }) },
  {
    name: "a size of a chunk that is no number",
    of: "chat",
    change: () => ({
      raw: "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    }),
  },
  { name: "a head that is no HTTP", of: "chat", change: () => ({ raw: "ERROR: upstream exploded\n" }) },
  {
    name: "a field with a line end inside",
    of: "chat",
    change: () => ({ raw: "HTTP/1.1 200 OK\r\ncontent-type application/json\r\n\r\n{}" }),
  },
  { name: "a connection that ends without a byte", of: "chat", change: () => ({ raw: "" }) },
  {
    name: "remaining requests that are no number",
    of: "chat",
    change: () => ({ headers: { "x-ratelimit-remaining-requests": "plenty" } }),
  },
  { name: "a reset in words of time", of: "chat", change: () => ({ headers: { "x-ratelimit-reset-requests": "1m30s" } }) },
  { name: "more remaining than the limit", of: "chat", change: () => ({ headers: { "x-ratelimit-remaining-requests": "700" } }) },
  {
    name: "no rate-limit fields",
    of: "embeddings",
    change: ({ headers }) => ({
      headers: Object.fromEntries(
        Object.keys(headers)
          .filter((name) => name.startsWith("x-ratelimit"))
          .map((name) => [name, null]),
      ),
    }),
  },
];
