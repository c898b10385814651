#!/usr/bin/env node
import { main } from "./main.ts";

const exitCode = await main(process.argv.slice(2));
process.exitCode = exitCode;
// Output to a pipe may still be draining; a handle that somebody forgot must not keep the process.
setTimeout(() => process.exit(exitCode), 1_000).unref();
