import { exitCodes } from "../../core/result/verdict.ts";
import { MissingPackage } from "../../distributed/broker/missing-package.ts";
import { showBroker } from "../../distributed/broker/show-broker.ts";
import { terminalText } from "../../report/escape/terminal.ts";
import { runAgent } from "../../run/agents/run-agent.ts";
import { measureInstrument } from "../../run/stages/measure-instrument.ts";
import { readToolVersion } from "../../run/tool-version.ts";
import { listenForInterrupt } from "../interrupt.ts";
import { requireTarget } from "../load-target.ts";
import { readBroker } from "../read-broker.ts";
import { UsageError } from "../usage-error.ts";

export interface AgentFlags {
  readonly redis: string;
  readonly redisPrefix?: string;
  readonly baseUrl?: string;
  readonly config?: string;
  readonly name?: string;
}

/** Sends shares of load profiles for coordinators until it is interrupted; 0 then. */
export async function agentCommand(flags: AgentFlags): Promise<number> {
  const broker = readBroker(flags);
  const { manifest, notes } = requireTarget(flags);
  const say = (text: string): void => void process.stderr.write(`${terminalText(text)}\n`);
  for (const note of notes) say(note);
  const interrupt = listenForInterrupt(() => say("ending; a share that is being sent is given up"));
  try {
    await runAgent({
      broker,
      manifest,
      version: readToolVersion(),
      name: flags.name ?? null,
      signal: interrupt.signal,
      say,
      calibrate: () => measureInstrument({ seed: 1, signal: interrupt.signal }),
    });
    return exitCodes.met;
  } catch (error) {
    if (error instanceof MissingPackage) throw new UsageError(error.message);
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${showBroker(broker.url)}: ${why}`, "check the address, the password and the network");
  } finally {
    interrupt.release();
  }
}
