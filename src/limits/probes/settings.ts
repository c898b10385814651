import type { Exchange } from "../../core/exchange.ts";
import { adminFor } from "../exam-keys.ts";
import type { ProbeTools } from "./probe-tools.ts";

export type Settings = Readonly<Record<string, number | null>>;

/** Whether the manifest lets assay change this subject (`key:NAME` or `account`) and says how to put it back. */
export function mayChange(tools: Pick<ProbeTools, "manifest">, subject: string, members: readonly string[]): boolean {
  const before = restoreValues(tools, subject);
  const addressable = subject === "account" || tools.manifest.keys[subject.slice("key:".length)]?.id !== null;
  return (
    tools.manifest.permissions.patchSettings && addressable && before !== null && members.every((member) => member in before)
  );
}

function restoreValues({ manifest }: Pick<ProbeTools, "manifest">, subject: string): Settings | null {
  if (subject === "account") return manifest.restore.account ? { ...manifest.restore.account } : null;
  const values = manifest.restore.keys[subject.slice("key:".length)];
  if (!values) return null;
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Settings;
}

/**
 * Changes settings and puts them back when `during` is over, also when it fails or is aborted. The journal knows what is
 * pending before the first PATCH leaves, so that a crash leaves a trace.
 */
export async function withSettings(
  tools: ProbeTools,
  subject: string,
  members: readonly string[],
  during: (change: (settings: Settings) => Promise<Exchange>) => Promise<void>,
): Promise<void> {
  const before = restoreValues(tools, subject) ?? {};
  const settings = Object.fromEntries(members.map((member) => [member, before[member] ?? null]));
  const { journal, manifest } = tools;
  journal.record({ subject, baseUrl: manifest.target.baseUrl, settings });
  try {
    await during((values) => patch(tools, subject, values, "change", tools.signal));
  } finally {
    const restored = await patch(tools, subject, settings, "restore", null);
    const status = restored.response?.status ?? 0;
    if (status >= 200 && status < 300) journal.complete(subject);
    else
      tools.onProgress({
        kind: "note",
        text: `${subject} could not be put back to ${JSON.stringify(settings)}: status ${status}`,
      });
  }
}

async function patch(
  tools: ProbeTools,
  subject: string,
  settings: Settings,
  purpose: "change" | "restore",
  signal: AbortSignal | null,
): Promise<Exchange> {
  const name = subject === "account" ? (tools.manifest.keys["spendAdmin"] ? "spendA" : "admin") : subject.slice("key:".length);
  const id = tools.manifest.keys[name]?.id ?? "";
  return tools.sendExchange({
    stage: "limits",
    caseId: "limits/settings",
    label: `${purpose} ${subject}`,
    intent: { kind: "housekeeping", purpose: `${purpose} settings of ${subject}` },
    endpoint: subject === "account" ? "account-settings" : "key-settings",
    method: "PATCH",
    path: subject === "account" ? "/v1/account" : `/v1/keys/${encodeURIComponent(id)}`,
    credential: { kind: "bearer", key: adminFor(tools.manifest, name) },
    body: { kind: "json", value: settings },
    ...(signal ? { signal } : {}),
  });
}
