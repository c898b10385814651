import type { Manifest } from "../core/manifest.ts";
import { ControlPlane } from "../wire/clock/control-plane.ts";

/** Rejects with a ControlPlaneError where a manifest names a control plane that does not answer as one. null: the embedded service. */
export async function checkControl(manifest: Manifest | null): Promise<void> {
  if (manifest?.control == null) return;
  const plane = new ControlPlane(manifest.control);
  try {
    await plane.readTime();
  } finally {
    await plane.close();
  }
}
