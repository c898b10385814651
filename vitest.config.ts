import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Two cores: sockets, children and a browser share them.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    coverage: { include: ["src/**", "suites/**"], reporter: ["text-summary"] },
  },
});
export default config;
