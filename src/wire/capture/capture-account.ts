/**
 * The answers that a run holds, in bytes of memory: one account for everything captured, as a thousand bodies that are each
 * within their bound may still be too many. Bytes that it has no room for are not kept, and the exchange says so.
 */
export interface CaptureAccount {
  /** False, and nothing taken, where the bytes do not fit. */
  take(bytes: number): boolean;
  /** Gives back what is held no longer. */
  release(bytes: number): void;
  readonly heldBytes: number;
}

export function createCaptureAccount(maxBytes: number): CaptureAccount {
  let held = 0;
  return {
    take(bytes) {
      if (held + bytes > maxBytes) return false;
      held += bytes;
      return true;
    },
    release(bytes) {
      held -= bytes;
    },
    get heldBytes() {
      return held;
    },
  };
}
