import { createRandom, hashString } from "../../core/random.ts";
import type { Ticket, Consumption } from "../engine/admission.ts";
import type { Job, Pace } from "../engine/latency/latency-model.ts";
import type { Call } from "./call.ts";
import { settleFailed } from "./operation.ts";
import { serverProblem } from "./problem.ts";
import { respondProblem } from "./respond.ts";

/** Has the imagined model server compute a job; answers 503 itself when that one is overloaded. */
export async function runJob(call: Call, ticket: Ticket, job: Job, produce: (pace: Pace) => Promise<void>): Promise<void> {
  const { engine, seed } = call.service;
  const start = await engine.latency.start(job, createRandom(hashString(`${seed}/${call.requestId}`)), call.signal());
  switch (start.kind) {
    case "overloaded":
      settleFailed(ticket);
      return respondProblem(call, serverProblem(503), ticket);
    case "abandoned":
      return settleFailed(ticket);
    case "started":
      try {
        await produce(start.pace);
      } finally {
        start.pace.release();
      }
  }
}

/**
 * Runs a job whose answer leaves when all of it is done: it is done, and costs the same, whether or not the client waits for it.
 */
export function runWholeJob(
  call: Call,
  ticket: Ticket,
  job: Job,
  bill: Pick<Consumption, "promptTokens" | "costMicros" | "items">,
  respond: () => void,
): Promise<void> {
  return runJob(call, ticket, job, async (pace) => {
    await call.service.engine.clock.sleepUntil(pace.endAtMs());
    ticket.settle({ ended: call.response.destroyed ? "aborted" : "completed", completionTokens: 0, ...bill });
    respond();
  });
}
