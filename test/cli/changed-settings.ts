import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type LiveTarget, openLiveTarget } from "./live-target.ts";
import { type Ended, spawnAssay } from "./run-assay.ts";
import { openSettingsProxy } from "./settings-proxy.ts";

/** The settings of a key that the manifest states. */
export const declared = { burst_limit: 77, cooldown_seconds: 9, monthly_spend_cap: 4321 } as const;

/** A live target whose settings may be changed; those of these keys are declared. */
export function openChangeableTarget(
  keys: readonly string[],
  through?: (serviceUrl: string) => Promise<string>,
): Promise<LiveTarget> {
  const changes = {
    permissions: { patchSettings: true, exhaustLimits: true },
    propagationSeconds: 1,
    restore: { keys: Object.fromEntries(keys.map((name) => [name, declared])) },
  };
  return openLiveTarget(["primary", "admin", ...keys], changes, through);
}

export function settingsOf({ service }: LiveTarget, key: string): Readonly<Record<string, unknown>> {
  return { ...service.engine.keys.byName(key)?.settings };
}

export function journalFiles({ folder }: LiveTarget): readonly string[] {
  return readdirSync(join(folder, "reports")).filter((name) => name.startsWith(".pending-restore-"));
}

/**
 * Runs `assay` and sends it the signal when the target has changed the settings of the key, before the answer says so: whatever the
 * machine does meanwhile, nothing is put back yet.
 */
export async function signalAtChange(
  args: readonly string[],
  key: string,
  signal: NodeJS.Signals,
): Promise<{ readonly live: LiveTarget; readonly ended: Ended }> {
  let kill: ((signal: NodeJS.Signals) => void) | undefined;
  const onAnswered = (): void => {
    if (JSON.stringify(settingsOf(live, key)) === before) return;
    kill?.(signal);
    kill = undefined;
  };
  const live = await openChangeableTarget([key], (serviceUrl) => openSettingsProxy(serviceUrl, () => null, onAnswered));
  const before = JSON.stringify(settingsOf(live, key));
  const { folder, env } = live;
  const onStart = (send: typeof kill): void => {
    kill = send;
  };
  return { live, ended: await spawnAssay(args, { folder, env, onStart }) };
}
