#!/usr/bin/env node
import { setFlagsFromString } from "node:v8";
import { exitCodes } from "../core/result/verdict.ts";
import { unsupportedRuntime } from "./unsupported-runtime.ts";

const unsupported = unsupportedRuntime(process.versions);
if (unsupported !== null) {
  process.stderr.write(`assay: ${unsupported}\n`);
  process.exit(exitCodes.usage);
}
// Not before: other runtimes lack modules that these import.
const { main } = await import("./main.ts");
const { showInvisible } = await import("../report/escape/visible.ts");
const { maskOutput } = await import("../command/mask-output.ts");

maskOutput(process.env);
// Any target and any record fit into 512 MB: live data may grow by a part, not fourfold, before garbage is collected.
const readsRecords = ["certify", "endorse", "report", "verify"].includes(process.argv[2] ?? "");
setFlagsFromString(`--heap-growing-percent=${readsRecords ? 30 : 60}`);

// Node ends with 1 after an error that nobody caught, and 1 means findings: a fault of ours must not look like one of the target.
process.on("uncaughtException", (error) => {
  process.stderr.write(
    `assay: a fault in assay itself; please report it:\n${showInvisible(error.stack ?? error.message, { keepLines: true })}\n`,
  );
  process.exit(exitCodes.internal);
});
let isLost = false;
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // `assay ... | head`: the reader has seen enough, and the reports are files anyway.
    if (error.code === "EPIPE") return;
    // A disk that is full is no fault of assay. The run goes on and is kept; its summary is in its folder.
    if (isLost) return;
    isLost = true;
    if (stream === process.stdout) process.stderr.write(`assay: standard output cannot be written: ${error.message}\n`);
  });
}

const ended = await main(process.argv.slice(2));
// Errors of a stream come in a later turn.
await new Promise(setImmediate);
const exitCode = isLost && ended !== exitCodes.internal ? exitCodes.invalid : ended;
process.exitCode = exitCode;
// Output to a pipe may still be draining; a handle that somebody forgot must not keep the process.
setTimeout(() => process.exit(exitCode), 1_000).unref();
