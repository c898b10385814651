/** What `assay doctor` found out about one thing. */
export interface Diagnosis {
  readonly check:
    | "address"
    | "connection"
    | "http"
    | "base-path"
    | "authentication"
    | "credential"
    | "rate-limit-headers"
    | "clock"
    | "keep-alive"
    | "round-trip"
    | "descriptors"
    | "broker"
    | "agents"
    | "agent-clocks"
    | "agent-ceilings";
  readonly status: "ok" | "warning" | "failed" | "skipped";
  readonly message: string;
  /** What to do about it; null when nothing needs to be done. */
  readonly hint: string | null;
}

export function diagnosis(
  check: Diagnosis["check"],
  status: Diagnosis["status"],
  message: string,
  hint: string | null = null,
): Diagnosis {
  return { check, status, message, hint };
}
