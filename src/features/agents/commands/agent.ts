import { findManifest, type LoadedManifest, manifestOfAddress } from "../../../config/load-manifest.ts";
import { exitCodes } from "../../../core/result/verdict.ts";
import { MissingPackage } from "../broker/open-redis.ts";
import { showBroker } from "../broker/read-broker-address.ts";
import { terminalText } from "../../../report/escape/terminal.ts";
import { runAgent } from "../share/run-agent.ts";
import { measureInstrument } from "../../../run/stages/measure-instrument.ts";
import { readToolVersion } from "../../../run/tool-version.ts";
import { listenForInterrupt } from "../../../command/interrupt.ts";
import { requireTarget } from "../../../command/load-target.ts";
import { readBroker } from "./read-broker.ts";
import { UsageError } from "../../../command/usage-error.ts";
import { output } from "../../../report/terminal/output.ts";

export interface AgentFlags {
  readonly redis: string;
  readonly redisPrefix?: string;
  readonly baseUrl?: string;
  readonly config?: string;
  readonly name?: string;
}

/** Without any key of its own an agent sends with what is sealed for it. */
function openTarget({ baseUrl, ...flags }: AgentFlags): Pick<LoadedManifest, "manifest" | "notes"> {
  const isKeyless = (process.env["ASSAY_API_KEY"] ?? "") === "";
  if (baseUrl === undefined || flags.config !== undefined || !isKeyless || findManifest(process.cwd()) !== null) {
    return requireTarget({ ...flags, ...(baseUrl === undefined ? {} : { baseUrl }) });
  }
  const notes = ["ASSAY_API_KEY is not set: it can send only for runs that are started with --seal-for"];
  return { manifest: manifestOfAddress(baseUrl, { env: process.env }), notes };
}

/** Sends shares of load profiles for coordinators until it is interrupted; 0 then. */
export async function agentCommand(flags: AgentFlags): Promise<number> {
  const broker = readBroker(flags);
  const { manifest, notes } = openTarget(flags);
  const say = (text: string): void => output.say(terminalText(text));
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
