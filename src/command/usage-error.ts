/** The command cannot be carried out as asked; the message says what is wrong, the hint what to do. Exit code 2. */
export class UsageError extends Error {
  readonly hint: string | null;

  constructor(message: string, hint: string | null = null) {
    super(message);
    this.name = "UsageError";
    this.hint = hint;
  }
}
