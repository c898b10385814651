import type { Sender } from "../../core/exchange/send-request.ts";

/** The wire, or what stands for it. */
export interface LoadSender extends Sender {
  /** Opens connections ahead of the first send. */
  readonly warm?: (connections: readonly number[]) => Promise<unknown>;
  /** Ends everything in flight as aborted, with what was received of it. */
  readonly giveUp?: () => void;
}
