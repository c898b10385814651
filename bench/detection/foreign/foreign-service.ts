import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { AccountBook, type Settings } from "./account-book.ts";
import { blindRounds } from "./blind-rounds.ts";
import { type Call, type Desk, refuse, refuseFaults, reply } from "./reply.ts";
import { settingFaults } from "./rules.ts";
import type { OpenCall } from "./twist.ts";
import { chat, listModels, pictures, readJson, report, sendPicture, transcribe, vectors } from "./work.ts";

export interface ForeignOptions {
  readonly defects?: readonly string[];
  /** Requests per minute of ordinary keys. Default 600. */
  readonly perMinute?: number;
  /** Bodies are packed for clients that take it. */
  readonly gzip?: boolean;
  /** How far its clock runs ahead of this machine's. */
  readonly skewMs?: number;
  readonly port?: number;
}

export interface ForeignService {
  readonly url: string;
  readonly book: AccountBook;
  close(): Promise<void>;
}

const routes: readonly (readonly [
  method: string,
  path: RegExp,
  endpoint: string,
  scope: "read" | "infer" | "agents" | "admin",
])[] = [
  ["POST", /^\/v1\/chat\/completions$/, "chat", "infer"],
  ["POST", /^\/v1\/embeddings$/, "vectors", "infer"],
  ["POST", /^\/v1\/images\/generations$/, "images", "infer"],
  ["POST", /^\/v1\/audio\/transcriptions$/, "audio", "infer"],
  ["GET", /^\/v1\/models$/, "models", "read"],
  ["GET", /^\/v1\/usage$/, "usage", "read"],
  ["PATCH", /^\/v1\/keys\/[^/]+$/, "key", "admin"],
  ["PATCH", /^\/v1\/account$/, "account", "admin"],
  ["POST", /^\/v1\/agents$/, "agents", "agents"],
  ["GET", /^\/v1\/workspaces$/, "workspaces", "read"],
  ["GET", /^\/v1\/verify$/, "verify", "read"],
];
const keyMembers = ["monthly_spend_cap", "burst_limit", "cooldown_seconds"];

/**
 * A second implementation of the specification, written from its text alone: plain node:http, real time, and the other lawful
 * reading wherever one was seen. Mistakes are switched on by name (`defects.ts`).
 */
export async function startForeignService(options: ForeignOptions = {}): Promise<ForeignService> {
  const defects = new Set(options.defects ?? []);
  const has = (defect: string): boolean => defects.has(defect);
  const book = new AccountBook(options.perMinute ?? 600, options.skewMs ?? 7000);
  const hooks = [...blindRounds.values()]
    .flat()
    .filter(({ id }) => has(id))
    .map(({ make }) => make());
  const sizes = new Map<string, string>();
  const desk: Desk = { book, has, gzip: options.gzip ?? false, sizes, changes: hooks.flatMap(({ answer }) => answer ?? []) };
  for (const { open } of hooks) open?.(book);
  const authenticated = new WeakMap<Socket, string>();
  const racing = new Map<string, number>();
  let inFlight = 0;
  let settingsInFlight: Settings | null = null;

  /** Name of the key of a request; null: none that is valid. */
  function identify(
    request: IncomingMessage,
    url: URL,
    endpoint: string,
  ): { readonly token: string; readonly name: string | null } {
    const field = request.headers.authorization ?? "";
    const pattern = has("auth/scheme-optional")
      ? /^(?:Bearer )?(.*)$/i
      : has("auth/any-scheme")
        ? /^\w+ (.*)$/
        : has("auth/no-space")
          ? /^Bearer ?(.*)$/i
          : /^Bearer (.*)$/i;
    const elsewhere = has("auth/key-in-query")
      ? url.searchParams.get("api_key")
      : has("auth/key-in-other-field")
        ? request.headers["x-api-key"]
        : null;
    const token = pattern.exec(field)?.[1] ?? String(elsewhere ?? "");
    const known = [...book.holders].find(([, { secret }]) => {
      return has("auth/first-letters") ? token.slice(0, 16) === secret.slice(0, 16) : token === secret;
    });
    const [name, holder] = known ?? [null, null];
    const isDead =
      holder === null ||
      (holder.state === "expired" &&
        !has("auth/expired-accepted") &&
        !(endpoint === "audio" && has("auth/expired-accepted-for-uploads"))) ||
      (holder.state === "revoked" && !(endpoint === "vectors" && has("auth/revoked-accepted-for-vectors"))) ||
      holder.state === "replaced";
    if (!isDead) authenticated.set(request.socket, name ?? "");
    if (isDead && has("auth/once-a-connection")) return { token, name: authenticated.get(request.socket) ?? null };
    return { token, name: isDead ? null : name };
  }

  /** true: the request may be worked on. */
  function admit(call: Call, scope: "read" | "infer" | "agents" | "admin"): boolean {
    const { endpoint, holder: name } = call;
    const holder = book.holders.get(name ?? "");
    if (name === null || holder === undefined) return false;
    const streams = isStream(call);
    const isBlocked = holder.organization === "late" || (holder.organization === "broke" && !has("pay/no-credit-served"));
    const isLetThrough =
      (streams && has("pay/streams-served")) ||
      (endpoint === "models" && has("pay/models-served")) ||
      (endpoint === "vectors" && has("pay/vectors-served"));
    const raced = has("rate/remaining-races") && (racing.get(`${name} ${endpoint}`) ?? 0) > 1;
    call.reading = book.count(name, endpoint, raced ? 0 : 1);
    if (isBlocked && !isLetThrough) {
      if (has("pay/no-body")) reply(desk, call, 402);
      else if (has("pay/quota-shape")) reply(desk, call, 402, quotaBody());
      else refuse(desk, call, has("pay/402-as-403") ? 403 : 402, "payment_needed");
      return false;
    }
    const opened =
      (endpoint === "key" && has("auth/read-only-changes-keys")) ||
      (endpoint === "account" && has("auth/read-only-changes-account")) ||
      (endpoint === "agents" && has("auth/read-only-makes-agents"));
    const closed =
      (name === "readOnly" && endpoint === "models" && has("auth/read-only-cannot-read")) ||
      (name === "agentWrite" && endpoint === "agents" && has("auth/agent-key-refused"));
    if (closed || (!holder.may.has(scope) && !opened)) {
      if (endpoint === "key" && has("settings/read-only-changed")) changeKey(call, JSON.parse(call.body.toString()) as object);
      refuse(desk, call, has("auth/403-as-401") ? 401 : 403, "scope_missing");
      return false;
    }
    return admitByLimits(call, name, streams);
  }

  function admitByLimits(call: Call, name: string, streams: boolean): boolean {
    const { endpoint } = call;
    const cap = ["key", "account"].includes(endpoint) ? null : book.capOf(name);
    const isUncapped =
      (streams && has("cap/streams-served")) ||
      (endpoint === "vectors" && has("cap/vectors-served")) ||
      (endpoint === "audio" && has("cap/uploads-served"));
    if (cap !== null && !isUncapped) {
      if (has("cap/no-rate-fields")) call.reading = null;
      if (has("cap/error-object")) refuse(desk, call, 429, "cap_reached");
      else reply(desk, call, has("cap/403") ? 403 : 429, quotaBody(cap));
      return false;
    }
    const coolsMs = book.cools(name);
    if (coolsMs > 0) {
      const wait = Math.ceil(coolsMs / 1000);
      if (has("settings/cooldown-503")) refuse(desk, call, 503, "cooling_down");
      else {
        const hint = has("settings/cooldown-no-wait") ? {} : { "retry-after": wait };
        reply(desk, call, 429, { error: { code: "cooling_down", title: "too many at once" }, ...hint });
      }
      return false;
    }
    const { reading } = call;
    if (reading === null || (reading.left >= 0 && reading.tokensLeft > 0)) return true;
    if (streams && has("limit/streams-unlimited")) return true;
    refuseByLimit(call, reading.left < 0 ? reading.resetMs : book.nowMs() + 1000);
    // Refused requests do not count.
    book.count(name, endpoint, -1);
    return false;
  }

  function refuseByLimit(call: Call, untilMs: number): void {
    const wait = Math.max(1, Math.ceil((untilMs - book.nowMs()) / 1000));
    if (has("limit/503")) return refuse(desk, call, 503, "slow_down");
    if (has("limit/403")) return refuse(desk, call, 403, "slow_down");
    if (has("limit/quota-shape")) return reply(desk, call, 429, quotaBody());
    const reported = has("limit/wait-in-milliseconds") ? wait * 1000 : wait;
    const hint = has("limit/no-wait") ? {} : { "retry-after": reported };
    const error = has("limit/no-code") ? { title: "slow down" } : { code: "slow_down", title: "slow down" };
    reply(desk, call, 429, { error, ...hint }, has("limit/waits-disagree") ? { "Retry-After": String(wait + 25) } : {});
  }

  function quotaBody(type = "monthly_spend"): unknown {
    const wait = has("cap/wait-zero") ? 0 : has("cap/wait-constant") ? 3_600_000 : book.cycleLeftMs();
    return {
      error: "quota_exceeded",
      retry_after_ms: has("cap/wait-text") ? String(wait) : wait,
      ...(has("cap/no-type") ? {} : { cap_type: type }),
    };
  }

  function isStream(call: Call): boolean {
    return call.endpoint === "chat" && /"stream"\s*:\s*true/.test(call.body.toString());
  }

  function changeKey(call: Call, change: object): number {
    const id = decodeURIComponent(call.url.pathname.split("/").at(-1) ?? "");
    const [name, named] = [...book.holders].find(([, holder]) => holder.id === id) ?? [null, null];
    if (named === null || named.organization !== "own") {
      if (named !== null && has("settings/foreign-changed")) Object.assign(named.settings, change);
      return named === null ? 404 : 403;
    }
    const kept = has("settings/lost") ? { ...change, burst_limit: named.settings.burst_limit } : change;
    const targets = has("settings/to-all-keys")
      ? [...book.holders.values()]
      : [has("settings/to-asking-key") ? (book.holders.get(call.holder ?? "") ?? named) : named];
    for (const target of targets) {
      const before = has("settings/forget-others")
        ? { monthly_spend_cap: null, burst_limit: null, cooldown_seconds: null }
        : target.settings;
      target.settings = { ...before, ...kept };
    }
    return name === null ? 404 : 204;
  }

  async function patchKey(call: Call): Promise<void> {
    const body = readSettings(call);
    if (body === undefined) return;
    const faults = settingFaults(body, keyMembers);
    if (faults.length > 0) {
      if (has("settings/refused-changed")) changeKey(call, keepKnown(body));
      return refuseFaults(desk, call, faults);
    }
    if (has("settings/lost-at-once")) {
      const id = call.url.pathname.split("/").at(-1);
      const target = [...book.holders.values()].find((holder) => holder.id === id);
      settingsInFlight ??= target === undefined ? null : { ...target.settings };
      const before = settingsInFlight;
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
      settingsInFlight = null;
      if (target !== undefined && before !== null) target.settings = { ...before };
    }
    const status = changeKey(call, keepKnown(body));
    if (status === 204 || has("settings/unknown-200")) return reply(desk, call, 204);
    if (status === 403 && has("settings/foreign-403")) return refuse(desk, call, 403, "not_yours");
    if (has("http/404-as-html")) {
      return reply(desk, call, 404, Buffer.from("<h1>nothing here</h1>"), { "Content-Type": "text/html" });
    }
    const isForeign = status === 403;
    if (isForeign && has("settings/foreign-by-header")) call.response.setHeader("X-Workspace", "other");
    refuse(
      desk,
      call,
      404,
      "no_such_key",
      isForeign && has("settings/foreign-in-words") ? { hint: "key of another workspace" } : {},
    );
  }

  function patchAccount(call: Call): void {
    if (has("settings/account-refused")) return refuse(desk, call, 403, "not_offered");
    const body = readSettings(call);
    if (body === undefined) return;
    const faults = settingFaults(body, ["account_spend_cap"]);
    if (faults.length > 0) return refuseFaults(desk, call, faults);
    const cap = body["account_spend_cap"];
    if (cap !== undefined) book.accountCap = cap as number | null;
    reply(desk, call, 204);
  }

  /** Nothing is required of these bodies: JSON that is no object is a bad request and no failed validation. */
  function readSettings(call: Call): Readonly<Record<string, unknown>> | undefined {
    try {
      const value: unknown = JSON.parse(call.body.toString());
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        refuse(desk, call, 400, "no_object");
        return undefined;
      }
    } catch {
      if (has("settings/malformed-taken")) {
        reply(desk, call, 204);
        return undefined;
      }
    }
    return readJson(desk, call);
  }

  async function work(call: OpenCall): Promise<void> {
    for (const hook of hooks) if (hook.work?.(call, desk) === true) return;
    switch (call.endpoint) {
      case "chat":
        return chat(desk, call);
      case "vectors":
        return vectors(desk, call);
      case "images":
        return pictures(desk, call, sizes);
      case "audio":
        return transcribe(desk, call);
      case "models":
        return listModels(desk, call);
      case "usage":
        return report(desk, call);
      case "key":
        return patchKey(call);
      case "account":
        return patchAccount(call);
      case "agents":
        return refuseFaults(desk, call, [{ at: "name", want: "a text" }]);
      default:
        return reply(desk, call, 200, { object: call.endpoint, data: [] });
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://service.invalid");
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const found = routes.find(([method, path]) => method === request.method && path.test(url.pathname));
    const endpoint = found?.[2] ?? "none";
    const { token, name: known } = identify(request, url, endpoint);
    const call: OpenCall = { request, response, url, body: Buffer.concat(chunks), endpoint, holder: known, token, reading: null };
    for (const { arrive } of hooks) arrive?.(call, desk);
    const name = call.holder;
    if (request.method === "GET" && url.pathname.startsWith("/pictures/")) {
      return sendPicture(desk, call, sizes.get(url.pathname.slice(10)));
    }
    if (inFlight > 20 && has("http/hangs-above-20")) return;
    if (inFlight > 20 && has("http/resets-above-20")) return void response.destroy();
    if (name === null) return serveStranger(call);
    if (found === undefined) {
      call.reading = book.count(name, "none", 0);
      const isKnown = routes.some(([, path]) => path.test(url.pathname));
      return refuse(desk, call, isKnown ? 405 : 404, isKnown ? "other_method" : "no_such_path");
    }
    const fault = request.headers["x-please-fail"];
    if (typeof fault === "string") {
      call.reading = book.count(name, endpoint, 1);
      return failOnPurpose(call, fault);
    }
    const key = `${name} ${endpoint}`;
    racing.set(key, (racing.get(key) ?? 0) + 1);
    try {
      if (has("rate/remaining-races")) await new Promise(setImmediate);
      if (admit(call, found[3])) await work(call);
    } finally {
      racing.set(key, (racing.get(key) ?? 1) - 1);
    }
  }

  async function serveStranger(call: Call): Promise<void> {
    if (call.endpoint === "models" && has("auth/models-for-all")) return listModels(desk, call);
    if (has("auth/streams-for-all") && isStream(call) && call.token !== "") return chat(desk, call);
    if (call.endpoint === "key" && has("auth/path-first")) return refuse(desk, call, 404, "no_such_key");
    const isWrong = call.endpoint === "images" ? /3x3/.test(String(call.body)) : /temperature":9/.test(String(call.body));
    if (has("auth/body-first") && isWrong) return refuse(desk, call, 422, "invalid_request", { details: [] });
    refuse(desk, call, has("auth/401-as-403") && call.token !== "" ? 403 : 401, "no_access");
  }

  function failOnPurpose(call: Call, fault: string): void {
    const status = Number(fault);
    if (status === 500 && has("fault/500-in-text")) {
      return reply(desk, call, 500, Buffer.from("oops"), { "Content-Type": "text/plain" });
    }
    if (status === 502 && has("fault/502-quota")) return reply(desk, call, 502, quotaBody());
    const wait = new Date(Math.ceil(book.nowMs() / 1000) * 1000 + 45_000).toUTCString();
    const error = { error: { code: `fault_${status}`, title: "on purpose" } };
    reply(desk, call, status, error, status === 503 && !has("fault/503-without-wait") ? { "Retry-After": wait } : {});
  }

  const server = createServer((request, response) => {
    inFlight += 1;
    response.on("close", () => {
      inFlight -= 1;
    });
    serve(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 20_000;
  await new Promise<void>((resolve) => {
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    book,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

function keepKnown(body: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(body).filter(([name]) => keyMembers.includes(name)));
}
