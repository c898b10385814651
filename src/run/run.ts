import { setMaxListeners } from "node:events";
import { executeRun, type RunOutcome } from "./execute-run.ts";
import { readRunRequest } from "./request/read-run-request.ts";
import type { RunRequest } from "./request/run-request.ts";

/**
 * Tests a target as the command line does and writes the run folder. What is wrong with the target is in `result`; rejects with
 * a ConfigError or ProfileError where the request cannot be used, before anything is sent.
 */
export async function run(request: RunRequest = {}): Promise<RunOutcome> {
  const options = readRunRequest(request);
  // One listener for each request in flight.
  setMaxListeners(0, options.signal);
  return executeRun(options);
}
