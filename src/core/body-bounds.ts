import type { Manifest } from "./manifest.ts";

/** How long and how large the body of an answer may be before it is cut. */
export interface BodyBounds {
  /** Milliseconds between two reads. */
  readonly bodyIdleMs: number;
  /** Milliseconds from the time allowed for the head to the last byte. */
  readonly bodyTotalMs: number;
  readonly maxBodyBytes: number;
  /** Events of a stream, at most. */
  readonly maxEvents: number;
}

/** The members of a target that bound its answers. */
export type BoundedTarget = Pick<Manifest["target"], "timeoutMs" | "bodyIdleMs" | "bodyTotalMs" | "maxBodyBytes" | "maxEvents">;

const defaultBodyBytes = 67_108_864;
const defaultEvents = 100_000;

/** The bounds that the manifest states, else bounds that suit the time it allows for a head. */
export function bodyBounds(target: BoundedTarget): BodyBounds {
  return {
    bodyIdleMs: target.bodyIdleMs ?? target.timeoutMs,
    bodyTotalMs: target.bodyTotalMs ?? 3 * target.timeoutMs,
    maxBodyBytes: target.maxBodyBytes ?? defaultBodyBytes,
    maxEvents: target.maxEvents ?? defaultEvents,
  };
}
