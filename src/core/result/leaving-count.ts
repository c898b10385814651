/**
 * Clients of the measured window that go away before their answer has ended. They are in no latency, in no share of good answers and
 * in no error.
 */
export interface LeavingCount {
  /** Those that the target let in. */
  readonly clients: number;
  /** Those that went; the answers of the others had ended before. */
  readonly left: number;
  /** Those that went before the response head had come. */
  readonly beforeHead: number;
  /** Events with content that had come by then, of all that went. */
  readonly events: number;
  /** The half of the requests that met fewer answers which had been left, and the half that met more. */
  readonly few: LaterRequests;
  readonly many: LaterRequests;
  /** Streams between their first token and their end, on average over the first and the last third of the measured time. */
  readonly streaming: { readonly first: number; readonly last: number } | null;
  /** Requests wait the longer, the more answers were left: their slots stay taken. Null: too few to say. */
  readonly keepsSlots: boolean | null;
}

export interface LaterRequests {
  readonly requests: number;
  /** Answers that had been left and would still have been under way when each was sent, on average. */
  readonly met: number;
  /** Answered with 429 or 503. */
  readonly refused: number;
  /** Median time to first token; null below the sample floor. */
  readonly ttftP50: number | null;
}
