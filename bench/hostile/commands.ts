import type { Attack } from "./attack.ts";

/** Reads what a run left. */
export interface FollowingCommand {
  readonly id: string;
  /** `folder`: of the run; empty where there is none. */
  readonly args: (folder: string) => readonly string[];
  readonly mayPass?: boolean;
}

export interface AttackedCommand {
  /** As it is shown, and chosen by. */
  readonly id: string;
  readonly args: (url: string) => readonly string[];
  /** Whether it is tried against this attack; default: always. */
  readonly concerns?: (attack: Attack) => boolean;
  /** Requests that the manifest allows where budgets are small. */
  readonly requests: number;
  /** Members of the manifest, as YAML, that it needs. */
  readonly manifest?: string;
  /** In the folder that it left. */
  readonly next?: readonly FollowingCommand[];
  /** Whether it may end in 0 although nothing that the target says is right. */
  readonly mayPass?: boolean;
}

const isAboutLimits = ({ id }: Attack): boolean => id.startsWith("limit");
const report: FollowingCommand = { id: "report", args: (folder) => ["report", folder] };

const load = (profile: string, more: Partial<AttackedCommand> = {}): AttackedCommand => ({
  id: `load ${profile}`,
  args: () => ["load", "--profile", profile],
  requests: 2000,
  next: [report],
  ...more,
});

const burstOfKey = "restore: { keys: { reject: { burst_limit: 5, cooldown_seconds: 2 } } }";

/** Every command that talks to a target, and those that read what such a run left. */
export const commands: readonly AttackedCommand[] = [
  {
    id: "check",
    args: () => ["check"],
    requests: 40,
    next: [report, { id: "replay", args: (folder) => ["replay", folder, "F001"] }],
  },
  { id: "limits", args: () => ["limits"], requests: 40, next: [report] },
  load("smoke"),
  load("burst", { concerns: isAboutLimits }),
  load("window-edges", { concerns: isAboutLimits }),
  load("ratelimit-headers", { concerns: isAboutLimits }),
  load("cooldown", { concerns: isAboutLimits, manifest: burstOfKey }),
  { id: "run", args: () => ["run", "--profile", "smoke"], requests: 200, next: [report] },
  { id: "doctor", args: () => ["doctor"], requests: 40, mayPass: true },
  {
    id: "init",
    args: (url) => ["init", "--base-url", url, "--force"],
    requests: 40,
    mayPass: true,
    // The file that holds the target's words must be a manifest.
    next: [{ id: "check --plan", args: () => ["check", "--plan"], mayPass: true }],
  },
];
