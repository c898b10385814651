import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Manifest } from "../core/manifest.ts";
import { applyTargetFlags, type TargetFlags } from "./apply-target-flags.ts";
import { checkResolved } from "./check-resolved.ts";
import { completeManifest } from "./complete-manifest.ts";
import { ConfigError } from "./config-error.ts";
import { type ParsedManifest, parseManifest, type ParseOptions } from "./parse-manifest.ts";
import { createRequire } from "node:module";

const load = createRequire(import.meta.url);

/** The members that a module (`assay.config.ts`) exports by default, as text of JSON. Its code runs. Throws a `ConfigError`. */
function importConfig(file: string): string {
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

export interface LoadManifestOptions {
  /** `--config`; null: the nearest one upwards, if any. */
  readonly file: string | null;
  /** `--base-url`: where it is not the manifest's own, the manifest's keys and permissions are not used (see chooseTarget). */
  readonly baseUrl: string | null;
  readonly workingDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Flags that describe the way to the target. */
  readonly flags?: TargetFlags;
}

export interface LoadedManifest extends ParsedManifest {
  /** null when there is none and flags alone describe the target. */
  readonly file: string | null;
}

const yamlNames = ["assay.config.yaml", "assay.config.yml"];
const moduleNames = ["assay.config.ts", "assay.config.mts", "assay.config.js", "assay.config.mjs"];
const fileNames = [...yamlNames, ...moduleNames];

/** The manifest of the target; null when neither a file nor a base URL names one. Throws a `ConfigError`. */
export function loadManifest(options: LoadManifestOptions): LoadedManifest | null {
  const file = options.file === null ? findManifest(options.workingDirectory) : resolve(options.workingDirectory, options.file);
  if (file !== null && !existsSync(file)) {
    throw ConfigError.of(file, "there is no such file", "the path of a manifest; `assay init` writes one");
  }
  if (file === null) return options.baseUrl === null ? null : fromFlags(options.baseUrl, options);
  const { baseUrl, env, flags = {} } = options;
  // A bad address on the command line is not a mistake of the file.
  if (baseUrl !== null) checkFlags(completeManifest({ target: { baseUrl } }), { env });
  const given = { file, env, baseUrl, flags };
  const parsed = /\.m?[jt]s$/.test(file) ? parseModule(given) : parseManifest(readFileSync(file, "utf8"), given);
  return { ...parsed, file };
}

/** The same checks as for YAML; a module has no lines of its own. */
function parseModule(options: ParseOptions): ParsedManifest {
  const text = importConfig(options.file);
  try {
    return parseManifest(text, options);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(error.problems.map((one) => ({ ...one, line: null })));
  }
}

/** Nearest manifest from a folder upwards, not beyond the root of the repository. */
export function findManifest(folder: string): string | null {
  for (let current = resolve(folder); ; current = dirname(current)) {
    const [found, other] = fileNames.map((name) => join(current, name)).filter((file) => existsSync(file));
    // Which of them holds would be a guess.
    if (other !== undefined) throw ConfigError.of(other, `${found} is there, too`, "one of them, or --config");
    if (found !== undefined) return found;
    if (existsSync(join(current, ".git")) || dirname(current) === current) return null;
  }
}

/** The target of `--base-url` alone, with the key of ASSAY_API_KEY where that is set. Throws a `ConfigError`. */
export function manifestOfAddress(baseUrl: string, given: GivenFlags): Manifest {
  const withKey = (given.env["ASSAY_API_KEY"] ?? "") !== "";
  return (withKey ? fromFlags(baseUrl, given) : checkFlags(completeManifest({ target: { baseUrl } }), given)).manifest;
}

type GivenFlags = Pick<LoadManifestOptions, "env" | "flags">;

function fromFlags(baseUrl: string, given: GivenFlags): LoadedManifest {
  const { env } = given;
  const secret = env["ASSAY_API_KEY"] ?? "";
  if (secret === "") {
    throw ConfigError.of(
      "environment",
      "ASSAY_API_KEY is not set",
      "the API key of the target in this variable; keys are never flags",
    );
  }
  const keys = { primary: secret };
  return { ...checkFlags(completeManifest({ target: { baseUrl }, keys }), given), file: null };
}

/** The same checks as for a file, reported with the flag or variable that would have to change. */
function checkFlags(manifest: Manifest, { env, flags = {} }: GivenFlags): ParsedManifest {
  const checked = checkResolved(manifest, null);
  if (checked.problems.length > 0) {
    const places: Readonly<Record<string, string>> = { "target.baseUrl": "--base-url", "keys.primary": "ASSAY_API_KEY" };
    throw new ConfigError(
      checked.problems.map(({ path, ...words }) => ({
        file: places[path.join(".")] ?? "environment",
        line: null,
        member: places[path.join(".")] === undefined ? path.join(".") : "",
        ...words,
      })),
    );
  }
  const flagged = applyTargetFlags(checked.manifest, flags, env);
  return { manifest: flagged.manifest, notes: [...checked.notes, ...flagged.notes] };
}
