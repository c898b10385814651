import type { Manifest } from "../../core/manifest.ts";

/** The first of these that the manifest names: one of an exam's own where the owner supplies it, so that exams do not disturb each other. */
export function chooseKey({ keys }: Manifest, names: readonly string[]): string | null {
  return names.find((name) => keys[name] !== undefined) ?? null;
}

/** Of the request exam, and of what is asked before it. */
export const requestKeys: readonly string[] = ["examRequests", "primary"];

/** That shows whether keys share a limit. */
export const twinKeys: readonly string[] = ["examRequestsTwin", "secondary"];

/** Keys with a token limit that is small enough to be used up. */
export const tokenKeys: readonly string[] = ["examTokens", "lowToken"];

/** Keys with requests that wait in a cooldown. */
export const queueKeys: readonly string[] = ["examBurstQueue", "queue"];

/** Keys of one account that has an administrator of its own. */
const spendKeys: ReadonlySet<string> = new Set(["spendA", "spendB", "spendAdmin"]);

/** Key that may change settings of `key`: an administrator of the same account where the manifest names one. */
export function adminFor(manifest: Manifest, key: string): string {
  const candidates = spendKeys.has(key) ? ["spendAdmin", "admin"] : ["admin"];
  return chooseKey(manifest, candidates) ?? key;
}
