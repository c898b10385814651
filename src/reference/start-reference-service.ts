import { randomBytes } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import type { Manifest } from "../core/manifest.ts";
import { hashString } from "../core/random.ts";
import { ServiceClock, type ClockMode } from "./clock/service-clock.ts";
import { openControlPlane } from "./control/control-plane.ts";
import { createFaultRules } from "./http/fault-rules.ts";
import { createEngine } from "./engine/create-engine.ts";
import type { Engine } from "./engine/engine.ts";
import { latencyPresets, type LatencyPreset, type LatencyPresetName } from "./engine/latency/latency-preset.ts";
import { referenceManifest } from "./reference-manifest.ts";
import { createSurface } from "./http/app.ts";
import type { HttpSeams } from "./http/http-seams.ts";
import type { Service } from "./http/service.ts";
import { createSeams } from "./switches/create-seams.ts";
import type { Seams } from "./seams.ts";
import { switchRoutes } from "./switches/switch-routes.ts";
import { createSwitchboard, type LiveSwitchboard } from "./switches/switchboard.ts";

export interface ReferenceServiceOptions {
  /** 0 or absent: any free port. */
  readonly port?: number;
  readonly controlPort?: number;
  readonly host?: string;
  readonly variants?: readonly string[];
  readonly mutants?: readonly string[];
  /** Default: those that the switches patch. */
  readonly seams?: Seams;
  /** Default: real. A number is the factor of a scaled clock. Scaled and manual clocks start at the present unless asked otherwise. */
  readonly clock?: ReferenceClock;
  /** Name of a preset or one of one's own; default: instant. */
  readonly latency?: string | LatencyPreset;
  /** Decides keys, content and chance. Default 1. */
  readonly seed?: number;
  readonly controlToken?: string;
  /** Adds `server-timing` to chat responses. */
  readonly serverTiming?: boolean;
  /** Called for failures that nobody foresaw; default: a warning of the process. */
  readonly onCrash?: (error: unknown) => void;
}

export type ReferenceClock = "real" | "manual" | number | { readonly kind: "manual"; readonly startMs: number };

export interface ReferenceService {
  /** `http://127.0.0.1:4010`, without a slash at the end. */
  readonly url: string;
  readonly controlUrl: string;
  readonly controlToken: string;
  readonly manifest: Manifest;
  readonly switches: LiveSwitchboard;
  readonly engine: Engine;
  /** Ends every connection and timer. */
  close(): Promise<void>;
}

/**
 * Starts the embedded service and its control plane. Rejects with a RangeError for an unknown
 * switch or preset, else when a port is taken.
 */
export async function startReferenceService(options: ReferenceServiceOptions = {}): Promise<ReferenceService> {
  const { host = "127.0.0.1", seed = 1 } = options;
  const switches = createSwitchboard([...(options.variants ?? []), ...(options.mutants ?? [])]);
  const latency = findPreset(options.latency ?? "instant");
  const clock = new ServiceClock(clockMode(options.clock));
  const seams =
    options.seams ??
    createSeams(switches, {
      seed,
      operators: () => switches.operators(),
      ...(clock.mode.kind === "manual" && { arrival: fewTurns }),
    });
  const engine = createEngine({ clock, seams: seams.engine, seed, latency });
  const addresses = { url: "" };
  const service = createService(engine, seams.http, seed, options, () => addresses.url);
  const controlToken = options.controlToken ?? randomBytes(18).toString("base64url");
  const surface = await createSurface(service);
  /**
   * Settings that only the HTTP server itself has. Node announces the limit in `Keep-Alive: max` when it is set before a request.
   */
  const tuneTransport = (): void => {
    surface.server.maxRequestsPerSocket = seams.http.connections.requestsAtMost();
    surface.server.keepAliveTimeout = seams.http.connections.idleMs();
  };
  let control: Awaited<ReturnType<typeof openControlPlane>> | null = null;
  const close = async (): Promise<void> => {
    clock.close();
    await Promise.all([surface.close(), control?.close()]);
  };
  try {
    tuneTransport();
    addresses.url = await surface.listen({ host, port: options.port ?? 0 });
    control = await openControlPlane(
      { service, token: controlToken, onChange: tuneTransport, extend: (app) => switchRoutes(app, switches, tuneTransport) },
      { host, port: options.controlPort ?? 0 },
    );
    const manifest = referenceManifest({
      baseUrl: addresses.url,
      control: { url: control.url, token: controlToken },
      keys: engine.keys.list(),
    });
    return { url: addresses.url, controlUrl: control.url, controlToken, manifest, switches, engine, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A clock that is moved by hand may be moved once nothing has happened for some dozens of turns of the event loop. */
async function fewTurns(): Promise<void> {
  for (let turns = 0; turns < 8; turns += 1) await turn();
}

function clockMode(clock: ReferenceClock = "real"): ClockMode {
  if (clock === "real") return { kind: "real" };
  if (clock === "manual") return { kind: "manual", startMs: new Date().getTime() };
  return typeof clock === "number" ? { kind: "scaled", factor: clock } : clock;
}

function findPreset(latency: string | LatencyPreset): LatencyPreset {
  if (typeof latency !== "string") return latency;
  const preset = Object.hasOwn(latencyPresets, latency) ? latencyPresets[latency as LatencyPresetName] : undefined;
  if (preset === undefined)
    throw new RangeError(`There is no latency preset "${latency}"; known: ${Object.keys(latencyPresets).join(", ")}.`);
  return preset;
}

function createService(
  engine: Engine,
  seams: HttpSeams,
  seed: number,
  options: ReferenceServiceOptions,
  publicUrl: () => string,
): Service {
  let issued = 0;
  const salt = hashString(`${seed}/ids`).toString(36);
  return {
    engine,
    seams,
    seed,
    faults: createFaultRules(seed),
    serverTiming: options.serverTiming ?? false,
    onCrash: options.onCrash ?? ((error) => process.emitWarning(error instanceof Error ? error : String(error))),
    publicUrl,
    nextId: (prefix) => {
      issued += 1;
      return `${prefix}${salt}${hashString(`${salt}/${issued}`).toString(36).padStart(7, "0")}${issued.toString(36)}`;
    },
  };
}
