import type { Reporter, TestModule } from "vitest/node";

/** As many as show where the time of a whole run goes. */
const shown = 15;

/** Prints the slowest files of a run of many, so that a suite that grows slower says where. `start-order.ts` begins with them. */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= shown) return;
    const times = modules.map((module) => {
      const { collectDuration, duration } = module.diagnostic();
      return { name: module.relativeModuleId, seconds: (collectDuration + duration) / 1000 };
    });
    const slowest = times.toSorted((one, other) => other.seconds - one.seconds).slice(0, shown);
    const lines = slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`);
    process.stdout.write(`\n Slowest files\n${lines.join("\n")}\n`);
  }
}
