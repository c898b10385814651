import { createRequire } from "node:module";
import { ConfigError } from "./config-error.ts";

const load = createRequire(import.meta.url);

/** The members that a module (`assay.config.ts`) exports by default, as text of JSON. Its code runs. Throws a `ConfigError`. */
export function importConfig(file: string): string {
  const exported = exportOf(importModule(file));
  if (typeof exported !== "object" || exported === null || exported instanceof Promise)
    throw ConfigError.of(file, "it exports no configuration", "export default defineConfig({ target: { ... } })");
  try {
    return JSON.stringify(exported);
  } catch {
    throw ConfigError.of(file, "what it exports cannot be written as JSON", "texts, numbers, lists and objects");
  }
}

function importModule(file: string): unknown {
  try {
    return load(file);
  } catch (error) {
    const isTypeScript = /\.m?ts$/.test(file);
    const reads = "typescript" in process.features && Boolean(process.features.typescript);
    if (isTypeScript && !reads) {
      throw ConfigError.of(
        file,
        `Node ${process.versions.node} reads no TypeScript`,
        "Node 22.18 or later, or NODE_OPTIONS='--import tsx' with tsx installed, or assay.config.mjs or assay.config.yaml",
      );
    }
    throw ConfigError.of(
      file,
      `it cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
      "a module of Node",
    );
  }
}

function exportOf(module: unknown): unknown {
  return typeof module === "object" && module !== null && "default" in module ? module.default : module;
}
