import { defineConfig, type ViteUserConfig } from "vitest/config";
import { LongestFirst } from "./test/make/longest-first.ts";

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Whole files that take minutes are for `npm run test:all`: left out, not skipped, so that a skipped test is one that lacks something.
    exclude: process.env["ASSAY_TEST_ALL"] === "1" ? [] : ["test/**/*.all.test.ts"],
    setupFiles: ["test/make/seed-properties.ts"],
    // Files share the modules of their worker: reading some thousand modules anew for each took a third of the time. Tests keep no state
    // in modules, put back what they change of the process, and close what they open.
    isolate: false,
    // Two cores, and two files more while others wait for windows, sockets and children.
    maxWorkers: 4,
    // Answers are many and short-lived: a larger young generation takes a twentieth off the processor time of an exam.
    execArgv: ["--max-semi-space-size=64"],
    sequence: { sequencer: LongestFirst },
    // For what hangs: a machine that is ten times slower must not fail a test.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    coverage: { include: ["src/**", "suites/**"], reporter: ["text-summary"] },
  },
});
export default config;
