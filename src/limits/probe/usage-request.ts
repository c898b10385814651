import type { Clock } from "../../core/clock.ts";

/** A usage report of one day: another endpoint of a key that costs nothing. */
export function usageRequest(clock: Clock): { readonly endpoint: "usage"; readonly path: string } {
  const dayMs = 86_400_000;
  const to = Math.floor(clock.wallMs() / dayMs) * dayMs;
  return { endpoint: "usage", path: `/v1/usage?from=${isoSeconds(to - dayMs)}&to=${isoSeconds(to)}` };
}

function isoSeconds(unixMs: number): string {
  return encodeURIComponent(new Date(unixMs).toISOString().replace(/\.\d+Z$/, "Z"));
}
