import type { Clock } from "../core/clock.ts";
import type { Manifest } from "../core/manifest.ts";
import type { Sender } from "../core/exchange/send-request.ts";
import { describeRestore, restorePurpose, restoreSettings } from "../settings/restore-settings.ts";
import { isSameTarget, type PendingSettings } from "../settings/settings-journal.ts";
import type { RunSession } from "./run-session.ts";

interface ReadyTarget {
  readonly manifest: Manifest;
  readonly sender: Sender;
  readonly clock: Clock;
  /** Why it cannot be reached, null when it can. */
  readonly refusal: string | null;
}

/** Puts back what runs that died left changed on this target, before anything is measured on it, and reports the rest. */
export async function finishPending(session: RunSession, { manifest, sender, clock, refusal }: ReadyTarget): Promise<void> {
  const { journal, options } = session;
  const { onProgress } = options;
  const report = (text: string): void => {
    session.notes.push(text);
    onProgress({ kind: "note", text });
  };
  session.invalidBecause.push(...journal.problems);
  const inherited = journal.inherited();
  const here = inherited.filter((entry) => isSameTarget(entry.baseUrl, manifest.target.baseUrl));
  const elsewhere = [...new Set(inherited.filter((entry) => !here.includes(entry)).map((entry) => entry.baseUrl))];
  if (elsewhere.length > 0) {
    report(`an earlier run left settings changed on ${elsewhere.join(", ")}: a run against it with this --out puts them back`);
  }
  for (const entry of here) {
    const stage = { stage: "setup", caseId: "restore-pending", manifest, sender, clock, journal, onProgress } as const;
    if (refusal === null && (await restoreSettings(entry, stage)) === "restored") {
      report(`settings that an earlier run left changed were restored: ${entry.subject}`);
    } else {
      session.invalidBecause.push(
        `settings that an earlier run left changed could not be restored: ${describeLeft(entry, session)}`,
      );
    }
  }
}

/** The settings that this run changed and could not put back: the reader of the report has to act on them. */
export function reportUnrestored(session: RunSession): readonly string[] {
  const texts = session.journal.own().map((entry) => `settings of the target are still changed: ${describeLeft(entry, session)}`);
  session.invalidBecause.push(...texts);
  // The reason of a run with findings does not hold what else was wrong.
  session.notes.push(...texts);
  return texts;
}

function describeLeft({ subject, baseUrl, path, by, settings }: PendingSettings, session: RunSession): string {
  const tried = session.exchanges.findLast(
    ({ request, intent }) => request.path === path && intent.kind === "housekeeping" && intent.purpose === restorePurpose,
  );
  const why = tried === undefined ? "not tried" : describeRestore(tried);
  return (
    `${subject} (${why}); PATCH ${baseUrl.replace(/\/+$/, "")}${path} with ${JSON.stringify(settings)} and key ${by} puts them back, ` +
    `and the next run with --out ${session.options.outDir} tries it again`
  );
}
