import type { Clock } from "../core/clock.ts";
import type { Exchange } from "../core/exchange/exchange.ts";
import type { Manifest } from "../core/manifest.ts";
import type { OnProgress } from "../core/progress.ts";
import { factsOf } from "../core/exchange/exchange-facts.ts";
import { longestWaitMs } from "../core/exchange/headers/retry-hints.ts";
import type { Sender, SendRequest } from "../core/exchange/send-request.ts";
import type { PendingSettings, SettingsJournal } from "./settings-journal.ts";

/** The parts of a stage that putting settings back needs. */
export interface RestoreTools {
  readonly manifest: Pick<Manifest, "keys">;
  readonly sender: Pick<Sender, "send">;
  readonly clock: Clock;
  readonly journal: SettingsJournal;
  readonly onProgress: OnProgress;
  /** The sender, for the record. */
  readonly stage: SendRequest["stage"];
  readonly caseId: string;
  readonly onExchange?: (exchange: Exchange) => void;
}

export const restorePurpose = "restore settings";

const attemptsAtMost = 3;
/** A key that is in a cooldown can be asked to wait as long as one lasts. */
const longestPauseMs = 130_000;

/**
 * Puts settings back: at most three attempts, no abort stops it, no budget refuses it, because leaving a target changed would
 * be worse than a late exit. Settings that could not be put back stay in the journal for the next run; never rejects for the
 * answer of a target.
 */
export async function restoreSettings(entry: PendingSettings, tools: RestoreTools): Promise<"restored" | "left"> {
  const { manifest, sender, journal, onProgress, stage, caseId } = tools;
  const report = (text: string): void =>
    onProgress({ kind: "note", text: `putting back the settings of ${entry.subject}: ${text}` });
  if (manifest.keys[entry.by] === undefined) {
    report(`the manifest holds no key "${entry.by}" to do it with`);
    return "left";
  }
  let first: number | null = null;
  for (let attempt = 1; attempt <= attemptsAtMost; attempt += 1) {
    const exchange = await sender.send({
      stage,
      caseId,
      label: `restore ${entry.subject}${attempt === 1 ? "" : ` (attempt ${attempt})`}`,
      intent: { kind: "housekeeping", purpose: restorePurpose, answers: ["2xx"] },
      endpoint: entry.subject === "account" ? "account-settings" : "key-settings",
      method: "PATCH",
      path: entry.path,
      credential: { kind: "bearer", key: entry.by },
      body: { kind: "json", value: entry.settings },
      attempt,
      ...(first === null ? {} : { retryOf: first }),
      required: true,
    });
    first ??= exchange.seq;
    tools.onExchange?.(exchange);
    if (isRestored(exchange)) {
      journal.complete(entry);
      return "restored";
    }
    const waitMs = attempt < attemptsAtMost ? pauseMs(exchange, attempt) : null;
    report(
      `attempt ${attempt} of ${attemptsAtMost} failed, ${describeRestore(exchange)}` +
        (waitMs === null ? "" : `; again in ${Math.ceil(waitMs / 1000)} s`),
    );
    // A clock that does not move must not keep the next attempt from being made.
    if (waitMs !== null) await tools.clock.sleep(waitMs).catch(() => undefined);
  }
  return "left";
}

function isRestored({ response }: Exchange): boolean {
  return response !== null && response.status >= 200 && response.status < 300;
}

/** The outcome of an attempt, in words that follow "the target". */
export function describeRestore({ response, failure }: Exchange): string {
  return response === null ? `no answer: ${failure?.message ?? "nothing was sent"}` : `answered ${response.status}`;
}

/** As long as the target asks for; a little longer each time where it does not say, or names the end of a billing cycle. */
function pauseMs(exchange: Exchange, attempt: number): number {
  const askedMs = longestWaitMs(factsOf(exchange).retryHints);
  return askedMs !== null && askedMs <= longestPauseMs ? askedMs : 1000 * attempt;
}
