import type { BrokenAnswer } from "./broken-answer.ts";

/** Errors in another form than the specification gives them. */
export const brokenErrors: readonly BrokenAnswer[] = [
  { name: "401 as a text in place of an object", of: "error-401", change: () => ({ body: '{"error":"Unauthorized"}' }) },
  {
    name: "401 as HTML",
    of: "error-401",
    change: () => ({ headers: { "content-type": "text/html" }, body: "<h1>401 Authorization Required</h1>" }),
  },
  {
    name: "401 with a byte order mark",
    of: "error-401",
    change: ({ body }) => ({ body: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]) }),
  },
  {
    name: "422 as a list of a framework",
    of: "error-422",
    change: () => ({ body: '{"detail":[{"loc":["body","model"],"msg":"field required","type":"value_error.missing"}]}' }),
  },
  {
    name: "422 without details",
    of: "error-422",
    change: () => ({ body: '{"error":{"code":"invalid_request","message":"Bad."}}' }),
  },
  {
    name: "422 with a stack of calls",
    of: "error-422",
    change: () => ({
      status: 500,
      headers: { "content-type": "text/plain" },
      body: "TypeError: Cannot read properties of undefined (reading 'model')\n    at handler (/app/server.js:12:3)",
    }),
  },
  {
    name: "404 in the other of the two forms",
    of: "error-404",
    change: () => ({ body: '{"error":"not_found","message":"no such key"}' }),
  },
  { name: "402 in an empty body", of: "error-402", change: () => ({ body: "" }) },
  {
    name: "429 without Retry-After",
    of: "error-429",
    change: ({ body }) => ({ headers: { "retry-after": null }, body: body.toString().replace(/,?"retry-after":\d+/, "") }),
  },
  { name: "429 with a Retry-After in words", of: "error-429", change: () => ({ headers: { "retry-after": "soon" } }) },
  { name: "429 with a Retry-After below zero", of: "error-429", change: () => ({ headers: { "retry-after": "-5" } }) },
  { name: "503 with a Retry-After that has a unit", of: "error-503", change: () => ({ headers: { "retry-after": "30s" } }) },
  {
    name: "503 as HTML",
    of: "error-503",
    change: () => ({ headers: { "content-type": "text/html" }, body: "<h1>Service Unavailable</h1>" }),
  },
];
