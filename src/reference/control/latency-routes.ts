import type { FastifyInstance } from "fastify";
import type { Engine } from "../engine/engine.ts";
import { latencyPresets, type LatencyPreset } from "../engine/latency/latency-preset.ts";

/** GET /latency; PUT /latency with `{ "preset": "realistic" }`, single members of a preset beside it or alone. */
export function latencyRoutes(app: FastifyInstance, { latency }: Engine): void {
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
