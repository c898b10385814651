import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** What the process holds after all that is not used was collected; the second collection waits for what the first left to a thread. */
export function memoryInUse(): NodeJS.MemoryUsage {
  collect();
  collect();
  return process.memoryUsage();
}
