/** The answer of `assay doctor` to one question. */
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
  /** The remedy; null when none is needed. */
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
