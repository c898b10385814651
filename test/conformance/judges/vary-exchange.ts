import type { Exchange, RecordedResponse, TransportFailure } from "../../../src/core/exchange/exchange.ts";
import { textBody } from "../../make/exchanges/make-exchange.ts";
import type { Intent, ViolatedCondition } from "../../../src/core/exchange/intent.ts";
import type { SpoiledExchange } from "../spoil-exchange.ts";

/** The same answer under other circumstances: what was meant, where it came from, whether it arrived, what a proxy did to it. */
export function varyExchange(golden: Exchange): readonly SpoiledExchange[] {
  const varied = [...varyRequest(golden), ...varyArrival(golden)];
  if (golden.response !== null) varied.push(...varyResponse(golden, golden.response));
  return varied.map(([name, exchange]) => ({ name, exchange }));
}

type Varied = readonly [name: string, exchange: Exchange];

const conditions: readonly ViolatedCondition[] = [
  "no-credentials",
  "bad-credentials",
  "missing-scope",
  "payment-required",
  "unknown-id",
  "foreign-id",
  "malformed-json",
  "missing-field",
  "out-of-range",
  "wrong-type",
  "wrong-media-type",
  "unknown-model",
  "unsupported-format",
  "fault-trigger",
];

/** Only a fault of the server is ever bound to the row that a trigger names. */
function rowOf(condition: ViolatedCondition): string {
  return condition === "fault-trigger" ? "ERR-026" : "CHAT-001";
}

const intents: readonly Intent[] = [
  { kind: "valid" },
  { kind: "load", profile: "steady", phase: "measure" },
  { kind: "limit", policy: "requests", phase: "D" },
  { kind: "housekeeping", purpose: "anything" },
  { kind: "housekeeping", purpose: "exceed a burst limit" },
  { kind: "probe-unspecified", requirement: "MOD-010", question: "anything" },
  ...conditions.map((condition): Intent => ({ kind: "violates", requirement: rowOf(condition), condition, twin: null })),
  { kind: "violates", requirement: "CHAT-001", condition: "missing-field", field: "input", twin: null },
  { kind: "violates", requirement: "CHAT-001", condition: "wrong-type", fields: ["input", "model"], twin: null },
  { kind: "violates", requirement: "CHAT-001", condition: "wrong-type", field: "n", twin: "no such label" },
  { kind: "violates", requirement: "ERR-024", condition: "out-of-range", field: "n", twin: null },
  { kind: "violates", requirement: "STRM-010", condition: "out-of-range", field: "stream", twin: null },
];

function* varyRequest(golden: Exchange): Iterable<Varied> {
  for (const intent of intents) yield [`meant as ${Object.values(intent).join(" ")}`, { ...golden, intent }];
  yield ["sent without a key", { ...golden, keyName: null }];
  yield ["sent with another key", { ...golden, keyName: "secondary" }];
  yield ["sent under load", { ...golden, stage: "load" }];
  yield ["sent by the limits stage", { ...golden, stage: "limits" }];
  yield ["sent to an unknown route", { ...golden, endpoint: null }];
  yield ["sent to a route that is only named", { ...golden, endpoint: "agents" }];
  yield ["sent to another operation", { ...golden, endpoint: golden.endpoint === "images" ? "models" : "images" }];
  const toPath = (path: string): Exchange => ({ ...golden, request: { ...golden.request, path } });
  yield ["fetched from elsewhere", toPath("https://images.example/1.png")];
  yield ["fetched from a path that holds an address", toPath("/proxy/https://images.example")];
  yield ["sent without the version", { ...toPath("/models"), endpoint: null }];
  yield ["sent to create a key", { ...golden, request: { ...golden.request, method: "POST", path: "/v1/keys" } }];
  yield ["sent as PATCH", { ...golden, request: { ...golden.request, method: "PATCH" } }];
  yield ["sent without fields", { ...golden, request: { ...golden.request, headers: [] } }];
  const named = (from: string, to: string): Exchange => ({
    ...golden,
    request: {
      ...golden.request,
      headers: golden.request.headers.map(([name, value]) => [name.toLowerCase() === from ? to : name, value]),
    },
  });
  yield ["sent with Authorization", named("authorization", "Authorization")];
  yield ["sent with aUTHORIZATION", named("authorization", "aUTHORIZATION")];
  yield ["sent without a body", { ...golden, request: { ...golden.request, body: null } }];
}

function* varyArrival(golden: Exchange): Iterable<Varied> {
  const silent = { ...golden.timing, headersMs: null, firstByteMs: null };
  yield [
    "not answered",
    { ...golden, response: null, timing: { ...silent, lateMs: 0 }, failure: timedOut("timeout", "no answer") },
  ];
  for (const kind of ["connection-closed", "stream-timeout", "incomplete-body"] as const) {
    yield [
      `broken off (${kind})`,
      { ...golden, timing: { ...golden.timing, lateMs: 0 }, failure: timedOut(kind, `it was ${kind}`) },
    ];
  }
  yield ["repeated", { ...golden, attempt: 2, retryOf: 1 }];
  yield ["answered after an hour", { ...golden, timing: { ...golden.timing, endMs: golden.timing.endMs + 3_600_000 } }];
}

function* varyResponse(golden: Exchange, response: RecordedResponse): Iterable<Varied> {
  const answered = (changed: Partial<RecordedResponse>): Exchange => ({ ...golden, response: { ...response, ...changed } });
  for (const status of [199, 201, 299, 300, 399, 405, 451, 499, 501, 502, 504, 599])
    yield [`status ${status}`, answered({ status })];
  const html = textBody("<h1>Bad Gateway</h1>");
  for (const status of [499, 500, 502]) yield [`status ${status} of a gateway`, answered({ status, body: html, stream: null })];
  yield ["status 204 without a body", answered({ status: 204, body: textBody(""), stream: null })];
  yield ["status 501 that names an error", answered({ status: 501, body: textBody('{"error":{"code":"x"}}'), stream: null })];
  yield* varyFields(golden, response);
  if (response.stream !== null) {
    const { stream } = response;
    const withData = (data: string): Exchange =>
      answered({ stream: { ...stream, events: stream.events.map((event, at) => (at === 1 ? { ...event, data } : event)) } });
    yield ["with the key in an event", withData('{"choices":[],"echo":"Bearer <key:primary>"}')];
    yield ["with an error in the stream", withData('{"error":{"code":"overloaded"}}')];
    yield ["with a number for an event", withData("7")];
    yield ["with only comments", answered({ stream: { ...stream, events: [], comments: 3 } })];
    return;
  }
  yield ["with a body that was not kept", answered({ body: null })];
  if (response.body === null) return;
  yield ["with a body beyond the capture limit", answered({ body: { ...response.body, truncated: true } })];
  yield ["with the key in the body", answered({ body: textBody('{"echo":"Bearer <key:primary>"}') })];
  yield ["with a marker that is no key in the body", answered({ body: textBody('{"echo":"<key:"}') })];
  for (const [name, text] of bodies) yield [`with ${name}`, answered({ body: textBody(text) })];
}

/** Errors as other services write them, and errors that say too much or too little. */
const bodies: readonly (readonly [string, string])[] = [
  ["an error that is a text", '{"error":"bad"}'],
  ["an error that is null", '{"error":null}'],
  ["an error without a code", '{"error":{"message":"bad"}}'],
  ["an error with an empty code", '{"error":{"code":""}}'],
  ["an error with a blank code", '{"error":{"code":"  "}}'],
  ["an error with a number for a code", '{"error":{"code":7}}'],
  ["an error with a code that is null", '{"error":{"code":null}}'],
  ["a code of 100 characters", `{"error":{"code":"${"c".repeat(100)}"}}`],
  ["an error with a detail", '{"error":{"code":"x","detail":"d"}}'],
  ["an error with a description", '{"error":{"code":"x","description":"d"}}'],
  ["problem details", '{"type":"about:blank","title":"bad","status":422}'],
  ["no details", '{"error":{"code":"x","details":[]}}'],
  ["details as an object", '{"error":{"code":"x","details":{"input":"string"}}}'],
  ["details as texts", '{"error":{"code":"x","details":["input must be a string","  n  "]}}'],
  ["details as numbers", '{"error":{"code":"x","details":[7,{"field":"input"}]}}'],
  [
    "details with empty texts",
    '{"error":{"code":"x","details":[{"field":"input","expected":" "},{"field":"input","expected":{}}]}}',
  ],
  ["details with structure", '{"error":{"code":"x","details":[{"field":"inputs","expected":["string"]},{"z":null,"a":7}]}}'],
  ["the quota shape", '{"error":"quota_exceeded","retry_after_ms":86400000,"cap_type":"monthly_spend"}'],
  ["the quota shape in seconds", '{"error":"quota_exceeded","retry_after_ms":86400,"cap_type":"monthly_spend"}'],
  [
    "the quota shape with a wait of two months",
    '{"error":"quota_exceeded","retry_after_ms":5184000000,"cap_type":"monthly_spend"}',
  ],
  ["a mixture of shapes", '{"error":{"code":"limited"},"retry-after":3,"cap_type":"monthly_spend"}'],
  ["retry-after as a text", '{"error":{"code":"limited"},"retry-after":"3"}'],
  ["a negative retry-after", '{"error":{"code":"limited"},"retry-after":-3}'],
  ["a burst limit", '{"error":{"code":"burst_limited"},"retry-after":3}'],
  ["a Python traceback", '{"error":{"code":"x","message":"Traceback (most recent call last): boom"}}'],
  ["a JavaScript stack", '{"error":{"code":"x","message":"at Foo.bar (/srv/index.js:10:20)"}}'],
  ["a JVM stack", '{"error":{"code":"x","message":"at com.Foo.bar(Foo.java:10)"}}'],
  ["a Go stack", '{"error":{"code":"x","message":"goroutine 12 [running]"}}'],
  ["a Rust panic", `{"error":{"code":"x","message":"thread 'main' panicked at src"}}`],
  ["a Python frame", '{"error":{"code":"x","message":"File \\"a.py\\", line 10, in b"}}'],
  ["a path of a machine", '{"error":{"code":"x","message":"no such file /usr/lib/python3/site.py"}}'],
  ["a path of a Windows machine", '{"error":{"code":"x","message":"C:\\\\Users\\\\me\\\\a.cs"}}'],
  ["a member named twice", '{"error":{"code":"x"},"a":1,"a":2}'],
];

function* varyFields(golden: Exchange, response: RecordedResponse): Iterable<Varied> {
  const put = (name: string, ...values: readonly string[]): Exchange => ({
    ...golden,
    response: {
      ...response,
      headers: [
        ...response.headers.filter(([known]) => known !== name),
        ...values.map((value): [string, string] => [name, value]),
      ],
    },
  });
  for (const type of [
    "application/json; charset=utf-8",
    "Application/JSON",
    "application/problem+json",
    "text/html",
    "text/event-stream",
  ]) {
    yield [`announced as ${type}`, put("content-type", type)];
  }
  yield ["not announced", put("content-type")];
  yield ["with a blank challenge", put("www-authenticate", "  ")];
  yield ["with a blank and a good challenge", put("www-authenticate", "", "Bearer")];
  yield ["with the key in a field", put("x-echo", "Bearer <key:primary>")];
  yield ["without a date", put("date")];
  yield ["with a date of tomorrow", put("date", new Date(golden.timing.wallMs + 86_400_000).toUTCString())];
  for (const wait of ["0", "29", "30", "120", "121", "86400", new Date(golden.timing.wallMs + 60_000).toUTCString()]) {
    yield [`with Retry-After: ${wait.length > 6 ? "a date" : wait}`, put("retry-after", wait)];
  }
}

/** A failure; one by a deadline of ours has the longest that any manifest of a test allows. */
function timedOut(kind: TransportFailure["kind"], message: string): TransportFailure {
  if (kind === "timeout") return { kind, message, bound: { until: "head", ms: 60_000 } };
  return kind === "stream-timeout" ? { kind, message, bound: { until: "bytes", ms: 60_000 } } : { kind, message };
}
