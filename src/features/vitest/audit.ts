/** One thing to test of a target, for any test runner: define a test with `title` and let it await `run()`. */
export interface Audit {
  /** Stable between runs and versions: `conformance.chat/CHAT-021`, `limits/burst`, `load.smoke/error_rate < 5%`, `complete`. */
  readonly id: string;
  /** The suite that it belongs to: `conformance.chat`, `limits`, `load.smoke`, `assay`. */
  readonly suite: string;
  readonly title: string;
  /**
   * The first call starts the run that all audits of one list share. Rejects with an AuditFailure when the target does not meet
   * it, and with what the run rejected with when it could not begin.
   */
  readonly run: () => Promise<AuditOutcome>;
}

/** `skipped`: nothing was said about the target; a runner should show the reason, not a pass. */
export type AuditOutcome =
  | { readonly outcome: "passed"; readonly note: string | null }
  | { readonly outcome: "skipped"; readonly reason: string };
