import { loadManifest, type LoadedManifest } from "../config/load-manifest.ts";
import { maskKeysOf } from "./mask-output.ts";
import { UsageError } from "./usage-error.ts";

/** The target that flags, environment and the nearest manifest describe; null when none of them names one. */
export function findTarget(flags: { readonly baseUrl?: string; readonly config?: string }): LoadedManifest | null {
  const target = loadManifest({
    file: flags.config ?? null,
    baseUrl: flags.baseUrl ?? null,
    workingDirectory: process.cwd(),
    env: process.env,
  });
  if (target !== null) maskKeysOf(target.manifest);
  return target;
}

/** For commands that make no sense without a target. */
export function requireTarget(flags: { readonly baseUrl?: string; readonly config?: string }): LoadedManifest {
  const target = findTarget(flags);
  if (target === null) throw new UsageError("no target is given", "use --base-url, or write a manifest with: assay init");
  return target;
}
