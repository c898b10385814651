import type { Manifest } from "../../../core/manifest.ts";
import type { BrokerAddress } from "../broker/read-broker-address.ts";
import { createRealClock } from "../../../wire/clock/real-clock.ts";
import type { AgentOrder } from "../messages/agent-order.ts";
import { runAgentShare } from "./run-agent-share.ts";
import { output } from "../../../report/terminal/output.ts";

/** The data that the supervisor passes to the process that sends. */
export interface ShareStart {
  readonly broker: BrokerAddress;
  readonly order: AgentOrder;
  readonly manifest: Manifest;
  readonly version: string;
}

// The terminal sends signals to all processes of a group: the supervisor decides what they mean.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});

const ended = new AbortController();
// Without a supervisor nobody holds the job: nothing more is sent.
process.once("disconnect", () => process.exit(1));
process.on("message", (message: ShareStart | "end") => {
  if (message === "end") ended.abort();
  else {
    runAgentShare({ ...message, clock: createRealClock(), signal: ended.signal }).then(
      () => process.exit(0),
      (error: unknown) => {
        output.refuse(`assay agent: ${error instanceof Error ? error.message : String(error)}`);
        process.exit(1);
      },
    );
  }
});
