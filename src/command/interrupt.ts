import { setMaxListeners } from "node:events";
import { exitCodes } from "../core/result/verdict.ts";

export interface Interrupt {
  readonly signal: AbortSignal;
  /** Which signal ended the run, null while none did. */
  readonly received: () => "SIGINT" | "SIGTERM" | null;
  readonly release: () => void;
}

/** `npx` and `timeout` pass a signal on that the terminal has sent to the whole group: both arrive, and mean one. */
const echoMs = 40;

/** First Ctrl-C: stop sending, drain, write the reports. Second: leave at once. */
export function listenForInterrupt(say: (text: string) => void): Interrupt {
  const controller = new AbortController();
  // One listener for each request in flight.
  setMaxListeners(0, controller.signal);
  let received: "SIGINT" | "SIGTERM" | null = null;
  let mayBeEcho = true;
  const handle = (name: "SIGINT" | "SIGTERM"): void => {
    const exitCode = name === "SIGINT" ? exitCodes.interrupted : exitCodes.terminated;
    if (received !== null) {
      if (mayBeEcho) return;
      process.exit(exitCode);
    }
    received = name;
    // A busy loop reads an echo late: the time is over once signals that came within it have been read.
    setTimeout(() => setImmediate(() => (mayBeEcho = false)), echoMs).unref();
    say("stopping: no new requests; writing the reports (interrupt again to leave at once)");
    controller.abort(new Error(`interrupted by ${name}`));
  };
  const onInterrupt = (): void => handle("SIGINT");
  const onTerminate = (): void => handle("SIGTERM");
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", onTerminate);
  return {
    signal: controller.signal,
    received: () => received,
    release: () => {
      process.off("SIGINT", onInterrupt);
      process.off("SIGTERM", onTerminate);
    },
  };
}
