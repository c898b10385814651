import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/**
 * The memory that the process holds after a collection of garbage; the second collection waits for threads that the first left
 * work to.
 */
export function memoryInUse(): NodeJS.MemoryUsage {
  collect();
  collect();
  return process.memoryUsage();
}
