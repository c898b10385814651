import { defineConfig, type ViteUserConfig } from "vitest/config";

/** The tests that judge records without a server: thousands of runs with one changed line each must stay fast. */
const config: ViteUserConfig = defineConfig({
  test: {
    include: [
      "test/run/decide-verdict.test.ts",
      "test/suites/*-judges.test.ts",
      "test/conformance/exchange-mutants.test.ts",
      "test/conformance/judge-*.test.ts",
    ],
    testTimeout: 30_000,
  },
});
export default config;
