import type { Manifest } from "../../core/manifest.ts";

/** Keys of the manifest that each exam uses: one of its own where the owner supplies it, so that exams do not disturb each other. */
export interface ExamKeys {
  readonly requests: string | null;
  readonly requestsTwin: string | null;
  readonly burst: string | null;
  readonly burstQueue: string | null;
  readonly burstTwin: string | null;
  readonly tokens: string | null;
  readonly spend: string | null;
  readonly spendTwin: string | null;
}

export function chooseExamKeys(manifest: Manifest): ExamKeys {
  const first = (...names: readonly string[]): string | null => names.find((name) => manifest.keys[name] !== undefined) ?? null;
  return {
    requests: first("examRequests", "primary"),
    requestsTwin: first("examRequestsTwin", "secondary"),
    burst: first("examBurst", "examSettings", "primary"),
    burstQueue: first("examBurstQueue", "queue"),
    burstTwin: first("examRequestsTwin", "secondary"),
    tokens: first("examTokens", "lowToken"),
    spend: first("spendA", "examSpend"),
    spendTwin: first("spendB"),
  };
}

/** Key that may change settings of `key`: an administrator of the same account where the manifest names one. */
export function adminFor(manifest: Manifest, key: string): string {
  const candidates = key.startsWith("spend") ? ["spendAdmin", "admin"] : ["admin"];
  return candidates.find((name) => manifest.keys[name] !== undefined) ?? key;
}
