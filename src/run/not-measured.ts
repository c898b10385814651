import { ControlPlaneError } from "../wire/clock/control-plane-error.ts";

/** A stage that this machine could not measure: neither a fault of assay nor a verdict on a target. */
export class NotMeasured extends Error {
  override readonly name = "NotMeasured";
}

/** The system had no process, thread, socket, file or memory to give. */
const scarce: ReadonlySet<string> = new Set([
  "EAGAIN",
  "EMFILE",
  "ENFILE",
  "ENOMEM",
  "ENOSPC",
  "ERR_WORKER_INIT_FAILED",
  "ERR_WORKER_OUT_OF_MEMORY",
]);

/** The reason for which a stage could not be measured, from what ended it; null: a fault of assay itself. */
export function whyNotMeasured(error: unknown): string | null {
  if (error instanceof NotMeasured || error instanceof ControlPlaneError) return error.message;
  if (!(error instanceof Error)) return null;
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && scarce.has(code)) return `this machine has no more to give (${code}: ${error.message})`;
  return whyNotMeasured(error.cause);
}
