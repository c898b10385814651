import type { ProfileNeed } from "./file/profile-file.ts";

/** Something that stands against sending a profile. */
export type Blocker =
  /** A size relative to a limit that nobody declared. */
  | { readonly code: "no-schedule"; readonly problem: string }
  | { readonly code: "no-key"; readonly key: string }
  | { readonly code: "no-probe-key"; readonly key: string }
  /** It is the key of the load. */
  | { readonly code: "same-probe-key"; readonly key: string }
  | { readonly code: "not-permitted"; readonly need: ProfileNeed }
  | { readonly code: "no-rate-to-hold" }
  /** Its origin, without credentials. */
  | { readonly code: "proxy"; readonly proxy: string }
  /** `isDeclared`: the manifest states the rate that is allowed. */
  | { readonly code: "rate"; readonly asked: number; readonly allowed: number; readonly isDeclared: boolean }
  | { readonly code: "requests"; readonly planned: number; readonly allowed: number }
  | { readonly code: "no-model"; readonly model: "chat" | "embedding" | "transcription" }
  | { readonly code: "no-key-id"; readonly key: string }
  | { readonly code: "no-restore"; readonly key: string };

/** In words, each said once. */
export function describeBlockers(blockers: readonly Blocker[]): readonly string[] {
  return [...new Set(blockers.map(describeBlocker))];
}

function describeBlocker(blocker: Blocker): string {
  switch (blocker.code) {
    case "no-schedule":
      return blocker.problem;
    case "no-key":
      return `no key named ${blocker.key} in the manifest`;
    case "no-probe-key":
      return `the probe needs a key named ${blocker.key} in the manifest`;
    case "same-probe-key":
      return `the probe and the load have the same key (${blocker.key}): a probe is another customer`;
    case "not-permitted":
      return blocker.need === "spend" ? "permissions.spendUpToCents is 0" : `permissions.${blocker.need} is not granted`;
    case "no-rate-to-hold":
      return "autocannon cannot be held to a rate, so it runs against this machine only, and where permissions.loadUpToRps is null";
    case "proxy":
      return `it would measure the proxy ${blocker.proxy} and not the target alone; name the host in NO_PROXY, or give --no-proxy`;
    case "rate": {
      const where = blocker.isDeclared ? "" : " to a target that is not this machine";
      return `it sends up to ${blocker.asked} requests in one second${where}; permissions.loadUpToRps allows ${blocker.allowed}${blocker.isDeclared ? "" : " (--allow-load permits more)"}`;
    }
    case "requests":
      return `it plans ${blocker.planned} requests, the budget holds ${blocker.allowed}`;
    case "no-model":
      return `no ${blocker.model} model in the manifest`;
    case "no-key-id":
      return `keys.${blocker.key} has no id`;
    case "no-restore":
      return `restore.keys.${blocker.key} is not declared`;
    default:
      return blocker satisfies never;
  }
}
