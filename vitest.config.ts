import { defineConfig, type ViteUserConfig } from "vitest/config";
import { engineFlags } from "./test/make/runner/engine-flags.ts";
import { SlowestFiles } from "./test/make/runner/slowest-files.ts";
import { StartOrder } from "./test/make/runner/start-order.ts";
import { strippedSources } from "./test/make/runner/stripped-sources.ts";

const isWhole = process.env["ASSAY_TEST_ALL"] === "1";

const config: ViteUserConfig = defineConfig({
  plugins: [strippedSources(import.meta.dirname)],
  test: {
    include: ["test/**/*.test.ts"],
    // Whole files that take minutes are for `npm run test:all`: left out, not skipped, so that a skipped test is one that lacks something.
    exclude: isWhole ? [] : ["test/**/*.all.test.ts"],
    setupFiles: ["test/make/runner/seed-properties.ts"],
    // Files share the modules of their worker: reading some thousand modules anew for each took a third of the time. Tests keep no state
    // in modules, put back what they change of the process, and close what they open.
    isolate: false,
    // Two cores, and two files more while others wait for windows, sockets and children.
    maxWorkers: 4,
    execArgv: [...engineFlags],
    sequence: { sequencer: StartOrder },
    reporters: [new SlowestFiles(), "default"],
    // For what hangs: a machine that is ten times slower must not fail a test, and as a whole some of them take half an hour.
    testTimeout: isWhole ? 3_600_000 : 120_000,
    hookTimeout: 120_000,
    coverage: { include: ["src/**", "suites/**"], reporter: ["text-summary"] },
  },
});
export default config;
