import { asksForStream } from "../../../http/seen-call.ts";
import type { SeenCall } from "../../../http/seen-call.ts";
import { meetingMs } from "./crowd.ts";

/** Serves two requests of one kind that are in flight at the same time for one another. */
export function swapInputs(): <Input>(input: Input, call: SeenCall) => Promise<Input> {
  /** Requests that wait for the next one of their kind. */
  const waiting = new Map<string, { readonly input: unknown; swap(other: unknown): void }>();
  return <Input>(input: Input, call: SeenCall): Promise<Input> => {
    const kind = `${call.endpoint} ${asksForStream(call)}`;
    const first = waiting.get(kind);
    if (first !== undefined) {
      waiting.delete(kind);
      first.swap(input);
      return Promise.resolve(first.input as Input);
    }
    return new Promise((resolve) => {
      const alone = setTimeout(() => {
        waiting.delete(kind);
        resolve(input);
      }, meetingMs);
      waiting.set(kind, {
        input,
        swap: (other) => {
          clearTimeout(alone);
          resolve(other as Input);
        },
      });
    });
  };
}
