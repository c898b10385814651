import { defineConfig, type ViteUserConfig } from "vitest/config";

/** The tests that judge records without a server: thousands of runs with one changed line each must stay fast. */
const config: ViteUserConfig = defineConfig({
  test: {
    include: [
      "test/judging/**/*.test.ts",
      "test/suites/*-judges.test.ts",
      "test/conformance/settle-requirement.prop.test.ts",
      "test/limits/verify-certificate.test.ts",
      "test/run/decide-verdict.test.ts",
    ],
    testTimeout: 30_000,
  },
});
export default config;
