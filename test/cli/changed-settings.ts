import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type LiveTarget, openLiveTarget } from "./live-target.ts";
import { type Ended, spawnAssay } from "./run-assay.ts";

/** What the manifest says the settings of a key are. */
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

/** Runs until the settings of the key are changed, then sends the signal. */
export async function signalAtChange(
  live: LiveTarget,
  args: readonly string[],
  key: string,
  signal: NodeJS.Signals,
): Promise<Ended> {
  const before = JSON.stringify(settingsOf(live, key));
  let timer: NodeJS.Timeout | undefined;
  const ended = await spawnAssay(args, {
    folder: live.folder,
    env: live.env,
    onStart: (kill) => {
      timer = setInterval(() => {
        if (JSON.stringify(settingsOf(live, key)) === before) return;
        clearInterval(timer);
        setTimeout(() => kill(signal), 50);
      }, 1);
    },
  });
  clearInterval(timer);
  return ended;
}
