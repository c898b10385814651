import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { completeManifest } from "./complete-manifest.ts";
import { ConfigError, type ConfigProblem } from "./config-problem.ts";
import { parseManifest, type ParsedManifest } from "./parse-manifest.ts";

export interface LoadManifestOptions {
  /** `--config`; null: the nearest one upwards, if any. */
  readonly file: string | null;
  /** `--base-url`: takes the place of the manifest's. */
  readonly baseUrl: string | null;
  readonly workingDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface LoadedManifest extends ParsedManifest {
  /** null when there is none and flags alone describe the target. */
  readonly file: string | null;
}

const fileNames = ["assay.config.yaml", "assay.config.yml"];

/** The manifest of the target; null when neither a file nor a base URL names one. Throws a `ConfigError`. */
export function loadManifest(options: LoadManifestOptions): LoadedManifest | null {
  const file = options.file === null ? findManifest(options.workingDirectory) : resolve(options.workingDirectory, options.file);
  if (file !== null && !existsSync(file)) {
    throw new ConfigError([problem(file, "there is no such file", "the path of a manifest; `assay init` writes one")]);
  }
  if (file === null) return options.baseUrl === null ? null : fromFlags(options.baseUrl, options.env);
  const parsed = parseManifest(readFileSync(file, "utf8"), { file, env: options.env });
  if (options.baseUrl === null) return { ...parsed, file };
  checkBaseUrl(options.baseUrl);
  return { ...parsed, file, manifest: { ...parsed.manifest, target: { ...parsed.manifest.target, baseUrl: options.baseUrl } } };
}

/** Nearest manifest from a folder upwards, not beyond the root of the repository. */
export function findManifest(folder: string): string | null {
  for (let current = resolve(folder); ; current = dirname(current)) {
    const found = fileNames.map((name) => join(current, name)).find((file) => existsSync(file));
    if (found !== undefined) return found;
    if (existsSync(join(current, ".git")) || dirname(current) === current) return null;
  }
}

function fromFlags(baseUrl: string, env: LoadManifestOptions["env"]): LoadedManifest {
  checkBaseUrl(baseUrl);
  const secret = env["ASSAY_API_KEY"] ?? "";
  if (secret === "") {
    throw new ConfigError([
      problem("environment", "ASSAY_API_KEY is not set", "the API key of the target in this variable; keys are never flags"),
    ]);
  }
  return { file: null, notes: [], manifest: completeManifest({ target: { baseUrl }, keys: { primary: secret } }) };
}

function checkBaseUrl(baseUrl: string): void {
  const expected = "an absolute http or https URL without credentials, such as http://127.0.0.1:8080";
  if (!URL.canParse(baseUrl)) throw new ConfigError([problem("--base-url", `${JSON.stringify(baseUrl)} is not a URL`, expected)]);
  const url = new URL(baseUrl);
  if (!["http:", "https:"].includes(url.protocol) || url.username !== "" || url.password !== "") {
    throw new ConfigError([problem("--base-url", "this kind of URL cannot be a target", expected)]);
  }
}

function problem(file: string, message: string, expected: string): ConfigProblem {
  return { file, line: null, member: "", message, expected, suggestion: null };
}
