import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Two cores: sockets, children and a browser share them.
    maxWorkers: 2,
    // Sockets, signals and clocks on machines that others use too: what fails three times in a row is broken.
    retry: process.env["CI"] === undefined ? 0 : 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    coverage: { include: ["src/**", "suites/**"], reporter: ["text-summary"] },
  },
});
export default config;
