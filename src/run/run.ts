import { setMaxListeners } from "node:events";
import { executeRun, type RunOutcome } from "./execute-run.ts";
import { readRunRequest } from "./request/read-run-request.ts";
import type { RunRequest } from "./request/run-request.ts";

/**
 * Tests a target as the command line does and writes the run folder. Faults of the target are in `result`; rejects with a
 * ConfigError or ProfileError if the request cannot be used, before anything is sent.
 */
export async function run(request: RunRequest = {}): Promise<RunOutcome> {
  const options = readRunRequest(request);
  // One listener for each request in flight.
  setMaxListeners(0, options.signal);
  return executeRun(options);
}
