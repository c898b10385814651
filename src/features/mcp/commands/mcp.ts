import { exitCodes } from "../../../core/result/verdict.ts";
import { findTarget } from "../../../command/load-target.ts";
import { listenForInterrupt } from "../../../command/interrupt.ts";
import type { ReachFlags } from "../../../command/target-flags.ts";
import { output } from "../../../report/terminal/output.ts";
import { serveProtocol } from "../protocol/serve-protocol.ts";
import { createTools } from "../tools/create-tools.ts";

export interface McpFlags extends ReachFlags {
  readonly baseUrl?: string;
  readonly config?: string;
  readonly out: string;
}

/**
 * Serves until standard input ends. The target is that of the flags and the manifest, for all calls: a client, which may read texts of
 * the target, names no address that a key could go to.
 */
export async function mcpCommand(flags: McpFlags): Promise<number> {
  // Mistakes of the flags are known before a client waits for an answer; values are masked from here on.
  findTarget(flags);
  const interrupt = listenForInterrupt(() => undefined);
  try {
    await serveProtocol({
      input: process.stdin,
      send: output.printRendered,
      tools: createTools(flags),
      signal: interrupt.signal,
    });
    return exitCodes.met;
  } finally {
    interrupt.release();
  }
}
