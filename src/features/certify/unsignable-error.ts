import type { ExitCode } from "../../core/result/verdict.ts";

/** A run that can be read, and that nobody may vouch for. */
export class UnsignableError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode) {
    super(message);
    this.name = "UnsignableError";
    this.exitCode = exitCode;
  }
}
