import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startReferenceService, type ReferenceService } from "../../../src/reference/start-reference-service.ts";
import type { Fault } from "../../../src/reference/http/fault-rules.ts";
import { ask, chatBody, control, open } from "./service-client.ts";

const chat = "/v1/chat/completions";
const startMs = Date.UTC(2026, 10, 21, 9);
const longStream = { body: chatBody({ stream: true, messages: [{ role: "user", content: "Write 40 words" }] }) };

describe("control plane", () => {
  let service: ReferenceService;
  beforeEach(async () => {
    service = await startReferenceService({ clock: { kind: "manual", startMs } });
  });
  afterEach(() => service.close());

  it("lets nobody in without the token, and is not part of the API", async () => {
    expect((await fetch(`${service.controlUrl}/keys`)).status).toBe(401);
    expect((await fetch(`${service.controlUrl}/keys`, { headers: { authorization: "Bearer wrong" } })).status).toBe(401);
    expect((await ask(service, "/v1/clock")).status).toBe(404);
    expect((await control(service, "GET", "/health")).body).toMatchObject({ status: "ok" });
  });

  it("moves the clock: windows, Date and pending keys follow", async () => {
    expect((await ask(service, "/v1/models", { key: "fresh" })).status).toBe(401);
    expect((await control(service, "POST", "/clock", { advanceMs: 60_000 })).body["wallMs"]).toBe(startMs + 60_000);
    expect((await control(service, "POST", "/clock", { setMs: startMs + 3_600_000 })).body["wallMs"]).toBe(startMs + 3_600_000);
    const answer = await ask(service, "/v1/models", { key: "fresh" });
    expect([answer.status, answer.header("date")]).toEqual([200, "Sat, 21 Nov 2026 10:00:00 GMT"]);
    expect((await control(service, "POST", "/clock", { setMs: startMs })).status).toBe(400);
    expect((await control(service, "POST", "/clock", {})).status).toBe(400);
  });

  it("makes keys and changes accounts", async () => {
    const { body: key } = await control(service, "POST", "/keys", { name: "made", plan: "starter", pending: true });
    expect((await ask(service, "/v1/models", { key: String(key["secret"]) })).status).toBe(401);
    await control(service, "POST", "/clock", { advanceMs: 60_000 });
    const answer = await ask(service, "/v1/models", { key: String(key["secret"]) });
    expect([answer.status, answer.header("x-ratelimit-limit-requests")]).toEqual([200, "60"]);
    await control(service, "POST", "/accounts", { id: "acct_main", standing: "past-due" });
    expect((await ask(service, "/v1/models")).status).toBe(402);
  });

  it("switches variants and mutants while it runs", async () => {
    const refused = await control(service, "PUT", "/mutants", { ids: ["errors/code-mising"] });
    expect([refused.status, refused.body["error"]]).toEqual([400, expect.stringContaining("errors/code-missing")]);
    expect((await control(service, "PUT", "/mutants", { ids: ["stream/crlf"] })).status).toBe(400);
    await control(service, "PUT", "/variants", { ids: ["headers/json-charset"] });
    await control(service, "PUT", "/mutants", { ids: ["errors/code-missing"] });
    const answer = await ask(service, "/v1/nope");
    expect([answer.header("content-type"), answer.json()]).toEqual([
      "application/json; charset=utf-8",
      { error: { message: expect.any(String) } },
    ]);
    const { body } = await control(service, "GET", "/mutants");
    expect((body["switches"] as { id: string; on: boolean }[]).filter(({ on }) => on).map(({ id }) => id)).toEqual([
      "errors/code-missing",
    ]);
    await control(service, "PUT", "/mutants", { ids: [] });
    expect((await ask(service, "/v1/nope")).json()).toMatchObject({ error: { code: "route_not_found" } });
  });

  it("takes, restores and resets the state, and keeps a journal", async () => {
    await ask(service, "/v1/models");
    const { body: snapshot } = await control(service, "GET", "/snapshot");
    const remaining = async (): Promise<string | undefined> =>
      (await ask(service, "/v1/models")).header("x-ratelimit-remaining-requests");
    expect(await remaining()).toBe("598");
    expect((await control(service, "POST", "/restore", snapshot)).status).toBe(200);
    expect(await remaining()).toBe("598");
    await control(service, "POST", "/reset");
    expect(await remaining()).toBe("599");
    const { entries } = (await control(service, "GET", "/journal")).body as { entries: { key: string; event: string }[] };
    expect(entries.map(({ key, event }) => `${key} ${event}`)).toEqual(["primary admitted", "primary settled"]);
    expect((await control(service, "POST", "/restore", {})).status).toBe(400);
  });

  it("changes the latency", async () => {
    expect((await control(service, "PUT", "/latency", { preset: "realistic", slots: 1 })).body).toMatchObject({
      slots: 1,
      interTokenMs: 10,
    });
    expect((await control(service, "PUT", "/latency", { preset: "unheard-of" })).status).toBe(400);
  });

  const inject = (fault: Fault, rest: object = {}) => control(service, "POST", "/faults", { fault, ...rest });

  it("strikes the n-th request of an endpoint and key, as often as it is asked to", async () => {
    await inject({ status: 503, retryAfterSeconds: 40 }, { id: "second", match: { endpoint: "models", key: "primary", nth: 2 } });
    const statuses: number[] = [];
    for (let index = 0; index < 3; index += 1) statuses.push((await ask(service, "/v1/models")).status);
    expect(statuses).toEqual([200, 503, 200]);
    const { faults } = (await control(service, "GET", "/faults")).body as { faults: { seen: number; struck: number }[] };
    expect(faults).toMatchObject([{ seen: 3, struck: 1 }]);
    expect((await control(service, "DELETE", "/faults/second")).status).toBe(200);
    expect((await control(service, "DELETE", "/faults/second")).status).toBe(400);
  });

  it("strikes a seeded share of requests", async () => {
    await inject({ status: 500 }, { match: { probability: 0.5 } });
    const statuses: number[] = [];
    for (let index = 0; index < 40; index += 1) statuses.push((await ask(service, "/v1/models")).status);
    const struck = statuses.filter((status) => status === 500).length;
    expect(struck).toBeGreaterThan(8);
    expect(struck).toBeLessThan(32);
  });

  it("bills nothing for a request that failed", async () => {
    const day = "/v1/usage?from=2026-11-21T00:00:00Z&to=2026-11-22T00:00:00Z";
    const report = async (): Promise<unknown> => (await ask(service, day)).json()["aggregate"];
    const before = await report();
    await inject({ status: 502 }, { match: { endpoint: "chat" } });
    expect((await ask(service, chat, { body: chatBody() })).status).toBe(502);
    expect(await report()).toEqual(before);
    await control(service, "DELETE", "/faults");
    await ask(service, chat, { body: chatBody() });
    expect(await report()).not.toEqual(before);
  });

  it("resets before the head", async () => {
    await inject({ cut: "reset-before-headers" });
    await expect(ask(service, "/v1/models")).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  it.each(["reset-mid-stream", "close-mid-stream"] as const)("breaks a stream off by %s, after half of it", async (cut) => {
    await inject({ cut });
    const response = await open(service, chat, longStream);
    let text = "";
    response.on("data", (bytes: Buffer) => (text += bytes.toString())).on("error", () => undefined);
    await new Promise((resolve) => response.once("close", resolve));
    expect(response.complete).toBe(false);
    expect(text).not.toContain("[DONE]");
    if (cut === "close-mid-stream") expect(text.match(/"content":"[^"]/g)?.length).toBeGreaterThanOrEqual(20);
  });

  it("hangs in the middle of a stream", async () => {
    await inject({ hang: "mid-stream" });
    const response = await open(service, chat, longStream);
    let text = "";
    response.on("data", (bytes: Buffer) => (text += bytes.toString()));
    await expect.poll(() => text.length).toBeGreaterThan(1_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([response.complete, text.includes("[DONE]")]).toEqual([false, false]);
    response.destroy();
  });

  it("delays the head, the first token and every token on the service clock", async () => {
    await inject({ delayBeforeHeadersMs: 1_000, delayBeforeFirstTokenMs: 2_000, delayBetweenTokensMs: 100 });
    const pending = ask(service, chat, {
      body: chatBody({ stream: true, messages: [{ role: "user", content: "Write 5 words" }] }),
    });
    let done = false;
    void pending.then(() => (done = true));
    const advance = async (advanceMs: number): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      await control(service, "POST", "/clock", { advanceMs });
      await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await advance(1_000);
    await advance(2_000);
    await advance(300);
    expect(done).toBe(false);
    await advance(100);
    expect((await pending).text).toContain("[DONE]");
  });

  it("omits [DONE], repeats headers and closes without a word", async () => {
    await inject({ omitDone: true, duplicateHeaders: true, closeSilently: true });
    const answer = await ask(service, chat, longStream);
    expect(answer.text).not.toContain("[DONE]");
    expect(answer.rawHeaders.filter((name) => name === "x-ratelimit-limit-requests")).toHaveLength(2);
  });
});
