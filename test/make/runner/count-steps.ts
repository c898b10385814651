import { Session } from "node:inspector/promises";

/** Methods of lists that look at every item without any code of ours. */
const scans = ["includes", "indexOf", "lastIndexOf", "slice", "concat"] as const;

/**
 * How many steps a piece of work takes: blocks of our code that the engine entered, and items that built-in searches and copies of lists
 * may have looked at. The same on every machine, however busy it is.
 */
export async function countSteps(work: () => void): Promise<number> {
  const session = new Session();
  session.connect();
  const list = Array.prototype as unknown as Record<string, (...given: unknown[]) => unknown>;
  const own = scans.map((name) => [name, list[name]!] as const);
  let scanned = 0;
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    // Forgets what ran before.
    await session.post("Profiler.takePreciseCoverage");
    for (const [name, method] of own) {
      list[name] = function count(this: readonly unknown[], ...given: unknown[]): unknown {
        scanned += this.length;
        return method.apply(this, given);
      };
    }
    work();
    for (const [name, method] of own) list[name] = method;
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const entered = result
      .filter(({ url }) => url.includes("/src/"))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)));
    return entered.reduce((sum, count) => sum + count, scanned);
  } finally {
    for (const [name, method] of own) list[name] = method;
    await session.post("Profiler.stopPreciseCoverage");
    session.disconnect();
  }
}
