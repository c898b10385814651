import { timingSafeEqual } from "node:crypto";
import fastify, { type FastifyInstance } from "fastify";
import type { Engine, EngineSnapshot } from "../engine/engine.ts";
import { clockRoutes } from "./clock-routes.ts";
import { faultRoutes } from "./fault-routes.ts";
import { keyRoutes } from "./key-routes.ts";
import { type LatencyPreset, latencyPresets } from "../engine/latency/latency-preset.ts";
import type { Service } from "../http/service.ts";

interface ControlPlaneOptions {
  readonly service: Service;
  readonly token: string;
  /** Called when faults change what the transport itself does. */
  readonly onChange: () => void;
  /** Further routes, behind the same token. */
  readonly extend?: (app: FastifyInstance) => void;
}

/**
 * Steering of the reference service on a port of its own, never below /v1, behind a bearer token. JSON in and out; what is
 * wrong with a request is a 400 with `{ "error": "<sentence>" }`.
 */
export function createControlPlane(options: ControlPlaneOptions): FastifyInstance {
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
