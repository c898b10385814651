/** One tool of the protocol. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** Names of its arguments; each is a text that matches `pattern`. */
  readonly arguments: Readonly<Record<string, ToolArgument>>;
  /** Throws a ToolError where it cannot be done. */
  readonly call: (given: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<string>;
}

export interface ToolArgument {
  readonly description: string;
  readonly pattern: string;
  readonly required?: true;
}

/** Says why a call gives no answer; the client reads it. */
export class ToolError extends Error {}
