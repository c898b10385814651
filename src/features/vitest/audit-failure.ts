/**
 * The failure of an audit. The message is plain text for a person: findings with what was expected, observed, and where the
 * evidence is.
 */
export class AuditFailure extends Error {
  /** Ids of the findings in the report of the run. */
  readonly findings: readonly string[];

  constructor(message: string, findings: readonly string[]) {
    super(message);
    this.name = "AuditFailure";
    this.findings = findings;
    // Frames of assay say nothing about the target, and runners print them at length.
    this.stack = `${this.name}: ${message}`;
  }
}
