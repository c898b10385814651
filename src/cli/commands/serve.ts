import { exitCodes } from "../../core/result/verdict.ts";
import { startReferenceService } from "../../reference/start-reference-service.ts";
import { UsageError } from "../../command/usage-error.ts";
import { listenForInterrupt } from "../../command/interrupt.ts";
import { output } from "../../report/terminal/output.ts";

export interface ServeFlags {
  readonly port: number;
  readonly controlPort: number;
  readonly variant: readonly string[];
  readonly mutant: readonly string[];
  readonly clock: string;
  readonly latency: string;
  readonly seed: number;
  readonly announce: "text" | "json";
}

/** Serves until it is interrupted; with `--announce json` also until standard input ends, so that no run leaves an orphan. */
export async function serveCommand(flags: ServeFlags): Promise<number> {
  const service = await startReferenceService({
    port: flags.port,
    controlPort: flags.controlPort,
    variants: flags.variant,
    mutants: flags.mutant,
    clock: parseClock(flags.clock),
    latency: flags.latency,
    seed: flags.seed,
  }).catch((error: unknown) => {
    throw error instanceof RangeError ? new UsageError(error.message, "assay list variants, assay list mutants") : error;
  });
  const { manifest } = service;
  if (flags.announce === "json") {
    output.printRendered(`${JSON.stringify({ manifest })}\n`);
    await new Promise<void>((resolve) => {
      process.stdin.resume().once("end", resolve).once("error", resolve);
    });
  } else {
    output.print(describe(service));
    const interrupt = listenForInterrupt(() => {});
    await new Promise<void>((resolve) => interrupt.signal.addEventListener("abort", () => resolve(), { once: true }));
    interrupt.release();
  }
  await service.close();
  return exitCodes.met;
}

function describe({ url, controlUrl, controlToken, manifest }: Awaited<ReturnType<typeof startReferenceService>>): string {
  const keys = Object.entries(manifest.keys).map(
    ([name, key]) => `  ${name.padEnd(16)} ${(key.id ?? "").padEnd(20)} ${key.secret}`,
  );
  return [
    `reference service   ${url}`,
    `control plane       ${controlUrl}   token ${controlToken}`,
    "keys (name, id, secret; made up for this service, the same whenever the seed is):",
    ...keys,
    "",
    `try: ASSAY_API_KEY=${manifest.keys["primary"]?.secret ?? ""} assay check --base-url ${url}`,
    "",
  ].join("\n");
}

function parseClock(text: string): "real" | "manual" | number {
  if (text === "real" || text === "manual") return text;
  const factor = /^scaled=(\d+(?:\.\d+)?)$/.exec(text)?.[1];
  if (factor === undefined || Number(factor) === 0)
    throw new UsageError(`--clock ${text} is not known`, "use real, manual or scaled=N");
  return Number(factor);
}
