import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fastify, { type FastifyInstance } from "fastify";
import type { Engine, EngineSnapshot } from "../engine/engine.ts";
import { type LatencyPreset, latencyPresets } from "../engine/latency/latency-preset.ts";
import type { Service } from "../http/service.ts";
import type { Fault, FaultMatch } from "../http/fault-rules.ts";
import { keyPropagationMs } from "../engine/keys/fixtures.ts";
import { type AccountRecord, type KeyRecord, ordinaryKey } from "../engine/keys/key-record.ts";

/** Longer than a run pauses between two commands. */
const idleMsAtMost = 72_000;

interface ControlPlaneOptions {
  readonly service: Service;
  readonly token: string;
  /** Called when faults change what the transport itself does. */
  readonly onChange: () => void;
  /** Further routes, behind the same token. */
  readonly extend?: (app: FastifyInstance) => void;
}

/**
 * Listens for the control plane. Its routes are made with the first request: most services that tests start are never steered.
 */
export async function openControlPlane(
  options: ControlPlaneOptions,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<{ readonly url: string; close(): Promise<void> }> {
  let plane: Promise<FastifyInstance> | null = null;
  const makePlane = async (): Promise<FastifyInstance> => {
    const app = createControlPlane(options);
    await app.ready();
    return app;
  };
  const server = createServer({ keepAliveTimeout: idleMsAtMost }, (request, response) => {
    plane ??= makePlane();
    plane.then(
      (app) => app.routing(request, response),
      (error: unknown) => response.destroy(error instanceof Error ? error : new Error(String(error))),
    );
  });
  await once(server.listen({ host, port }), "listening");
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${own}`,
    close: async () => {
      server.closeAllConnections();
      await Promise.all([once(server.close(), "close"), plane?.then((app) => app.close())]);
    },
  };
}

/**
 * Steering of the reference service on a port of its own, never below /v1, behind a bearer token. JSON in and out; what is
 * wrong with a request is a 400 with `{ "error": "<sentence>" }`.
 */
function createControlPlane(options: ControlPlaneOptions): FastifyInstance {
  const { service, token } = options;
  const { engine } = service;
  // A restored snapshot carries every usage event.
  const app = fastify({ bodyLimit: 64 * 2 ** 20, forceCloseConnections: true, exposeHeadRoutes: false });
  app.addHook("onRequest", async (request, reply) => {
    if (!isToken(request.headers.authorization, token)) {
      await reply.code(401).header("www-authenticate", "Bearer").send({ error: "The control token is missing or wrong." });
    }
  });
  app.setErrorHandler((error, _request, reply) =>
    reply.code(400).send({ error: error instanceof Error ? error.message : String(error) }),
  );
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: "There is no such control." }));

  app.get("/health", () => ({ status: "ok", wallMs: engine.clock.wallMs(), load: engine.latency.load() }));
  clockRoutes(app, engine);
  keyRoutes(app, engine);
  faultRoutes(app, service, options.onChange);
  latencyRoutes(app, engine);
  options.extend?.(app);
  app.get("/journal", () => ({ entries: engine.journal.entries() }));
  app.get("/snapshot", () => engine.snapshot());
  app.post<{ Body: EngineSnapshot }>("/restore", ({ body }) => {
    if (body?.schemaVersion !== 1) throw new Error("The body is no snapshot of this version.");
    engine.restore(body);
    return { status: "restored" };
  });
  app.post("/reset", () => {
    engine.reset();
    service.faults.clear();
    options.onChange();
    return { status: "reset" };
  });
  return app;
}

function isToken(header: string | undefined, token: string): boolean {
  const presented = Buffer.from(header ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return presented.length === wanted.length && timingSafeEqual(presented, wanted);
}

/** GET /latency; PUT /latency with `{ "preset": "realistic" }`, single members of a preset beside it or alone. */
function latencyRoutes(app: FastifyInstance, { latency }: Engine): void {
  app.get("/latency", () => latency.preset());
  app.put<{ Body: (Partial<LatencyPreset> & { readonly preset?: string }) | null }>("/latency", ({ body }) => {
    const { preset, ...members } = body ?? {};
    const named = preset === undefined ? latency.preset() : latencyPresets[preset as keyof typeof latencyPresets];
    if (named === undefined)
      throw new Error(`There is no latency preset "${preset}"; known: ${Object.keys(latencyPresets).join(", ")}.`);
    latency.setPreset({ ...named, ...members });
    return latency.preset();
  });
}

interface ClockChange {
  readonly advanceMs?: number;
  readonly setMs?: number;
  /** Stop so many milliseconds past the first timer that fires. */
  readonly settleMs?: number;
}

/**
 * GET /clock; POST /clock with `{ "advanceMs": 60000 }` or `{ "setMs": <Unix milliseconds> }`, forward only. With `settleMs` the
 * clock may stop early, behind the first timer that fires.
 */
function clockRoutes(app: FastifyInstance, { clock }: Engine): void {
  const state = (): object => ({ mode: clock.mode, wallMs: clock.wallMs(), nextTimerMs: clock.nextTimerMs() });
  app.get("/clock", state);
  app.post<{ Body: ClockChange | null }>("/clock", async ({ body }) => {
    const { advanceMs, setMs, settleMs } = body ?? {};
    if ((advanceMs === undefined) === (setMs === undefined)) throw new Error("Give either advanceMs or setMs.");
    const ms = advanceMs ?? (setMs ?? 0) - clock.wallMs();
    if (typeof ms !== "number" || !Number.isFinite(ms) || ms < 0)
      throw new Error("The clock only goes forward, by a finite number of milliseconds.");
    if (settleMs !== undefined && !(typeof settleMs === "number" && settleMs >= 0)) throw new Error("settleMs is 0 or more.");
    await (settleMs === undefined ? clock.advance(ms) : clock.advanceToTimer(ms, settleMs));
    return state();
  });
}

interface FaultDraft {
  readonly id?: string;
  readonly match?: FaultMatch;
  readonly fault?: Fault;
  readonly times?: number | null;
}

/** GET, POST and DELETE /faults, DELETE /faults/{id}. POST takes `{ match, fault, times?, id? }` (see `FaultRule`). */
function faultRoutes(app: FastifyInstance, service: Service, onChange: () => void): void {
  const { faults } = service;
  app.get("/faults", () => ({ faults: faults.rules() }));
  app.post<{ Body: FaultDraft | null }>("/faults", ({ body }) => {
    if (typeof body?.fault !== "object" || body.fault === null) throw new Error("A rule needs a fault.");
    const id = body.id ?? service.nextId("fault_");
    faults.remove(id);
    faults.add({ id, match: body.match ?? {}, fault: body.fault, times: body.times ?? null });
    onChange();
    return { id };
  });
  app.delete("/faults", () => {
    faults.clear();
    onChange();
    return { status: "cleared" };
  });
  app.delete<{ Params: { readonly id: string } }>("/faults/:id", ({ params }) => {
    if (!faults.remove(params.id)) throw new Error(`There is no fault ${params.id}.`);
    onChange();
    return { status: "removed" };
  });
}

type KeyDraft = Partial<KeyRecord> & { readonly name?: string; readonly pending?: boolean };

/**
 * GET /keys lists keys with their secrets. POST /keys adds one, or changes the one of that name: any members of a key record,
 * `name` mandatory; `"pending": true` lets it take effect only after the propagation time. GET and POST /accounts likewise.
 */
function keyRoutes(app: FastifyInstance, engine: Engine): void {
  const { keys, clock } = engine;
  app.get("/keys", () => ({ keys: keys.list() }));
  app.post<{ Body: KeyDraft | null }>("/keys", ({ body }) => {
    const { pending = false, name, ...members } = body ?? {};
    if (typeof name !== "string" || name === "") throw new Error("A key needs a name.");
    const key = { ...(keys.byName(name) ?? newKey(name, clock.wallMs(), pending)), ...members, name };
    keys.put(key);
    return key;
  });
  app.get("/accounts", () => ({ accounts: keys.accounts() }));
  app.post<{ Body: Partial<AccountRecord> | null }>("/accounts", ({ body }) => {
    if (typeof body?.id !== "string") throw new Error("An account needs an id.");
    const known = keys.accounts().find(({ id }) => id === body.id);
    const account = { standing: "good" as const, account_spend_cap: null, ...known, ...body, id: body.id };
    keys.putAccount(account);
    return account;
  });
}

function newKey(name: string, nowMs: number, pending: boolean): KeyRecord {
  const suffix = `${name.toLowerCase()}${Math.floor(nowMs).toString(36)}`;
  return {
    id: `key_${suffix}`,
    name,
    secret: `nim_live_${suffix}`,
    plan: "pro",
    ...ordinaryKey,
    createdAtMs: nowMs,
    effectiveAtMs: pending ? nowMs + keyPropagationMs : nowMs,
  };
}
