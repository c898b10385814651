import { loadManifest, type LoadedManifest } from "../config/load-manifest.ts";
import { maskKeysOf } from "./mask-output.ts";
import { type ReachFlags, reachOf } from "./target-flags.ts";
import { UsageError } from "./usage-error.ts";

type Flags = ReachFlags & { readonly baseUrl?: string; readonly config?: string };

/** The target that flags, environment and the nearest manifest describe; null when none of them names one. */
export function findTarget(flags: Flags): LoadedManifest | null {
  const target = loadManifest({
    file: flags.config ?? null,
    baseUrl: flags.baseUrl ?? null,
    workingDirectory: process.cwd(),
    env: process.env,
    flags: reachOf(flags),
  });
  if (target !== null) maskKeysOf(target.manifest);
  return target;
}

/** For commands that make no sense without a target. */
export function requireTarget(flags: Flags): LoadedManifest {
  const target = findTarget(flags);
  if (target === null) throw new UsageError("no target is given", "use --base-url, or write a manifest with: assay init");
  return target;
}
