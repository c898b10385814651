import { chooseTarget } from "../../config/choose-target.ts";
import { ConfigError } from "../../config/config-error.ts";
import { loadManifest } from "../../config/load-manifest.ts";
import { parseManifest } from "../../config/parse-manifest.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { RequestProblems } from "./request-problems.ts";
import type { ManifestInCode, RunRequest } from "./run-request.ts";

/** A manifest of null: the embedded reference service, or nothing where a problem was reported. */
interface RequestedTarget {
  readonly manifest: Manifest | null;
  readonly notes: readonly string[];
}

/** The target that a program asks to test: a resolved manifest, a file, or a manifest in code. */
export function readRequestedTarget(request: RunRequest, problems: RequestProblems): RequestedTarget {
  const { baseUrl, key, config, manifest, env = process.env } = request;
  if (manifest !== undefined) {
    if ([baseUrl, key, config].some((each) => each !== undefined))
      problems.report("manifest", "a resolved manifest cannot be combined", "no baseUrl, key or config with it");
    return { manifest, notes: [] };
  }
  if (typeof config === "string") {
    if (key !== undefined) {
      problems.report("key", "a manifest names its own keys", "no key with the path of a manifest");
      return noTarget;
    }
    return loadManifest({ file: config, baseUrl: baseUrl ?? null, workingDirectory: process.cwd(), env }) ?? noTarget;
  }
  if (config === undefined && baseUrl === undefined) {
    if (key !== undefined) problems.report("key", "there is no target that the key belongs to", "a baseUrl with it");
    return noTarget;
  }
  try {
    return parseInCode(config ?? {}, request, problems);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // The document has one line.
    for (const { member, message, expected, suggestion } of error.problems)
      problems.report(member, message, expected, suggestion);
    return noTarget;
  }
}

const noTarget: RequestedTarget = { manifest: null, notes: [] };

/** The same checks as for a file. Secrets reach it by reference, as they would there, so that no message can hold one. */
function parseInCode(
  config: ManifestInCode,
  { baseUrl, key, env = process.env }: RunRequest,
  problems: RequestProblems,
): RequestedTarget {
  const chosen = chooseConfig(config, baseUrl, env);
  const { keys } = chosen.config;
  const given = { ...keys, primary: key ?? keys?.["primary"] ?? env["ASSAY_API_KEY"] };
  const [secrets, references, notes] = [new Map<string, string>(), new Map<string, unknown>(), [...chosen.notes]];
  for (const [name, entry] of Object.entries(given)) {
    const secret = typeof entry === "object" ? entry.secret : entry;
    if (secret !== undefined && secret !== "") {
      const reference = `\${the_key_${name}}`;
      secrets.set(`the_key_${name}`, secret);
      references.set(name, typeof entry === "object" ? { ...entry, secret: reference } : reference);
    } else if (name === "primary") {
      problems.report("key", "no key of the target is given", "key, or the variable ASSAY_API_KEY");
      return noTarget;
    } else notes.push(`key ${name} is left out: its secret is not set`);
  }
  const document = JSON.stringify({ ...chosen.config, keys: Object.fromEntries(references) });
  const parsed = parseManifest(document, { file: "options", env: { ...env, ...Object.fromEntries(secrets) } });
  return { manifest: parsed.manifest, notes: [...notes, ...parsed.notes] };
}

/** The keys of `config` belong to its own base URL: another one gets `key` or ASSAY_API_KEY, and no permissions. */
function chooseConfig(
  config: ManifestInCode,
  baseUrl: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): { readonly config: ManifestInCode; readonly notes: readonly string[] } {
  const { target } = config;
  if (baseUrl === undefined) return { config: { ...config, target: { ...target } }, notes: [] };
  if (typeof target?.baseUrl !== "string") return { config: { ...config, target: { ...target, baseUrl } }, notes: [] };
  const own = { ...config, target: { ...target, baseUrl: target.baseUrl } };
  const { document, notes } = chooseTarget(own, { file: "config", env, baseUrl });
  return { config: document, notes };
}
