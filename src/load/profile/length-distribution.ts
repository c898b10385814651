import type { Distribution } from "./file/length.ts";

/** Lengths in tokens (or seconds, or items); samples are clamped to [min, max]. */
export type LengthDistribution = Required<Distribution>;
