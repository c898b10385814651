import { defineConfig, type ViteUserConfig } from "vitest/config";
import { engineFlags } from "./test/make/runner/engine-flags.ts";
import { leftOut } from "./test/make/runner/long-files.ts";
import { SlowestFiles } from "./test/make/runner/slowest-files.ts";
import { StartOrder } from "./test/make/runner/start-order.ts";
import { StatedSample } from "./test/make/runner/stated-sample.ts";
import { strippedSources } from "./test/make/runner/stripped-sources.ts";
import { share, testDay } from "./test/make/runner/switch-share.ts";

// Midnight may pass before a worker reads it.
process.env["ASSAY_TEST_DAY"] = testDay;

const left = leftOut(testDay, share === "rest" ? [] : process.argv.slice(2));
const config: ViteUserConfig = defineConfig({
  plugins: [strippedSources(import.meta.dirname)],
  test: {
    include: share === "rest" ? ["test/**/*.switches.test.ts", ...left] : ["test/**/*.test.ts"],
    // Whole files that take minutes are for `npm run test:all`: left out, not skipped, so that a skipped test is one that lacks something.
    // Of files that take seconds `npm test` asks some each day, and `.ci/run` the others.
    exclude: share === "all" ? [] : ["test/**/*.all.test.ts", ...(share === "sample" ? left : [])],
    globalSetup: ["test/make/runner/temporary-folder.ts"],
    setupFiles: ["test/make/runner/seed-properties.ts"],
    // Files share the modules of their worker: reading some thousand modules anew for each took a third of the time. Tests keep no state
    // in modules, put back what they change of the process, and close what they open.
    isolate: false,
    // Two cores, and two files more while others wait for windows, sockets and children.
    maxWorkers: 4,
    execArgv: [...engineFlags],
    sequence: { sequencer: StartOrder },
    reporters: [new StatedSample(), new SlowestFiles(), "default"],
    // The bound ends tests that hang, and nothing else: the slowest test takes seconds on a calm machine, and half an hour as a whole (`test:all`).
    testTimeout: share === "all" ? 7_200_000 : 1_800_000,
    hookTimeout: 1_800_000,
    // The default of a second is no hang: other work of the machine holds an event up for longer.
    expect: { poll: { timeout: 600_000, interval: 20 } },
    coverage: { include: ["src/**", "suites/**"], reporter: ["text-summary"] },
  },
});
export default config;
