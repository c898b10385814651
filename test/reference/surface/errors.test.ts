import { afterAll, describe, expect, it } from "vitest";
import { startReferenceService } from "../../../src/reference/start-reference-service.ts";
import { ask, chatBody, type Ask } from "./service-client.ts";

const rateHeaders = ["limit", "remaining", "reset"].flatMap((what) => [
  `x-ratelimit-${what}-requests`,
  `x-ratelimit-${what}-tokens`,
]);
const chat = "/v1/chat/completions";
const transcriptions = "/v1/audio/transcriptions";
const usage = (from: string, to: string): string => `/v1/usage?from=2026-${from}-01T00:00:00Z&to=2026-${to}-01T00:00:00Z`;
const typed = (body: string, mediaType: string): Ask => ({ body, headers: { "content-type": mediaType } });
const unknownKey = "/v1/keys/key_unknown";

describe("errors of the reference service", async () => {
  const service = await startReferenceService({ clock: { kind: "manual", startMs: Date.UTC(2026, 10, 21, 9) } });
  afterAll(() => service.close());

  const cases: readonly (readonly [title: string, status: number, code: string, path: string, options: Ask])[] = [
    ["no key", 401, "missing_api_key", chat, { key: null, body: chatBody() }],
    ["an unknown key", 401, "invalid_api_key", chat, { key: "nim_live_nobody", body: chatBody() }],
    ["an expired key", 401, "invalid_api_key", "/v1/models", { key: "expired" }],
    ["a key that is not effective yet", 401, "invalid_api_key", "/v1/models", { key: "fresh" }],
    ["a past due subscription", 402, "payment_required", "/v1/usage", { key: "pastDue" }],
    ["no credit", 402, "payment_required", "/v1/models", { key: "noCredit" }],
    ["a read-only key", 403, "insufficient_scope", "/v1/account", { key: "readOnly", method: "PATCH", body: "{" }],
    ["an unknown route", 404, "route_not_found", "/v1/nope", {}],
    ["a method that is not supported", 404, "method_not_supported", "/v1/models", { method: "DELETE" }],
    ["the method QUERY without a media type", 404, "method_not_supported", "/v1/models", { method: "QUERY" }],
    ["a path that cannot be decoded", 404, "route_not_found", "/v1/keys/%zz", { method: "PATCH", body: "{}" }],
    ["an unknown key id, whatever the body", 404, "not_found", unknownKey, { key: "admin", method: "PATCH", body: "{" }],
    ["an unknown model", 404, "model_not_found", chat, { body: chatBody({ model: "unheard-of" }) }],
    ["malformed JSON", 422, "malformed_json", chat, { body: '{"model": "reference-chat",}' }],
    ["bytes that are no UTF-8", 422, "malformed_json", chat, { body: Buffer.from([0x22, 0xff, 0x22]) }],
    ["no body", 422, "malformed_json", chat, { method: "POST" }],
    ["a body that is no object", 422, "malformed_json", chat, { body: "[]" }],
    ["another media type", 422, "unsupported_media_type", chat, typed("a=b", "application/x-www-form-urlencoded")],
    ["a media type that cannot be read", 422, "unsupported_media_type", chat, typed("{}", "//")],
    ["a body beyond the limit", 422, "body_too_large", chat, { body: Buffer.alloc(9 * 2 ** 20, 0x20) }],
    ["a model of another kind", 422, "invalid_request", chat, { body: chatBody({ model: "reference-embedding" }) }],
    ["JSON in place of a form", 422, "invalid_request", transcriptions, { body: {} }],
    ["a form without a boundary", 422, "invalid_request", transcriptions, typed("x", "multipart/form-data")],
    ["an inverted window", 422, "invalid_request", usage("02", "01"), {}],
    ["a parameter given twice", 422, "invalid_request", `${usage("02", "03")}&granularity=day&granularity=day`, {}],
    ["a triggered 500", 500, "internal_error", "/v1/models", { headers: { "x-reference-fault": "500" } }],
    ["a triggered 502", 502, "bad_gateway", chat, { body: chatBody({ stream: true }), headers: { "x-reference-fault": "502" } }],
    ["a triggered 503", 503, "service_unavailable", usage("01", "02"), { headers: { "x-reference-fault": "503" } }],
  ];

  it.each(cases)("answers %s with %i and the error shape", async (_, status, code, path, options) => {
    const answer = await ask(service, path, options);
    expect([answer.status, answer.header("content-type")]).toEqual([status, "application/json"]);
    expect(answer.json()).toMatchObject({ error: { code, message: expect.any(String) } });
    expect(answer.text).not.toContain("node_modules");
    expect(rateHeaders.filter((name) => !/^\d+$/.test(answer.header(name) ?? ""))).toEqual([]);
    expect(answer.header("x-request-id")).toMatch(/^req_/);
    expect(answer.header("date")).toBe("Sat, 21 Nov 2026 09:00:00 GMT");
    expect(answer.header("www-authenticate") !== undefined).toBe(status === 401);
    expect(Array.isArray((answer.json()["error"] as { details?: unknown }).details)).toBe(status === 422);
    if (status === 503) expect(Number(answer.header("retry-after"))).toBeGreaterThanOrEqual(30);
  });

  it("lists every failing field with the format it should have", async () => {
    const body = { messages: [{ role: "robot", content: 5 }], temperature: 3, stream: "yes" };
    const { details } = (await ask(service, chat, { body })).json()["error"] as {
      details: { field: string; expected: string }[];
    };
    expect(details.map(({ field }) => field).toSorted()).toEqual([
      "messages.0.content",
      "messages.0.role",
      "model",
      "stream",
      "temperature",
    ]);
    expect(details.find(({ field }) => field === "temperature")?.expected).toBe("number from 0 to 2");
  });

  it("does not tell an unknown key id from one of another workspace", async () => {
    const patch: Ask = { key: "admin", method: "PATCH", body: { burst_limit: 5 } };
    const foreign = await ask(service, `/v1/keys/${service.manifest.foreignKeyId}`, patch);
    const unknown = await ask(service, "/v1/keys/key_AAAAAAAAAAAAAAAA", patch);
    const masked = ({ rawHeaders }: { rawHeaders: readonly string[] }): readonly string[] =>
      rawHeaders.map((value) => (value.startsWith("req_") ? "req_" : value));
    expect([foreign.status, foreign.text, masked(foreign)]).toEqual([unknown.status, unknown.text, masked(unknown)]);
  });

  it("writes the wait of a 429 into header and body, and uses the quota shape for caps alone", async () => {
    for (let index = 0; index < 5; index += 1) expect((await ask(service, "/v1/models", { key: "lowLimit" })).status).toBe(200);
    const limited = await ask(service, "/v1/models", { key: "lowLimit" });
    expect([limited.status, limited.header("retry-after"), limited.json()["retry-after"]]).toEqual([429, "60", 60]);
    expect(limited.json()).toMatchObject({ error: { code: "rate_limit_exceeded" } });
    const capped = await ask(service, chat, { key: "exhausted", body: chatBody({ stream: true }) });
    expect([capped.status, capped.json()]).toEqual([
      429,
      { error: "quota_exceeded", retry_after_ms: expect.any(Number), cap_type: "monthly_spend" },
    ]);
  });

  it("refuses what only attackers send, and does not call it a crash", async () => {
    const crashes: unknown[] = [];
    const guarded = await startReferenceService({ onCrash: (error) => crashes.push(error) });
    const nested = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const tools = `{"model":"reference-chat","messages":[{"role":"user","content":"x"}],"tools":[{"a":${nested}}]}`;
    expect((await ask(guarded, chat, { body: nested })).status).toBe(422);
    expect((await ask(guarded, chat, { body: tools })).status).toBe(422);
    expect((await ask(guarded, chat, { body: chatBody({ __proto__: null, max_tokens: 1_000_000_000 }) })).status).toBe(200);
    await expect(ask(guarded, chat, { body: "{", headers: { "content-length": "50" } }, 50)).rejects.toThrow("gave up");
    expect((await ask(guarded, "/v1/models")).status).toBe(200);
    expect(crashes).toEqual([]);
    await guarded.close();
  });

  it("answers malformed HTTP without falling over", async () => {
    const { connect } = await import("node:net");
    const { port } = new URL(service.url);
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), "127.0.0.1", () => socket.write("NONSENSE\r\n\r\n"));
      socket.once("data", (bytes) => resolve(bytes.toString()));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect((await ask(service, "/v1/models")).status).toBe(200);
  });
});
