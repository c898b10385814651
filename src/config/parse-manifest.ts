import { readYaml } from "../schemas/read-yaml.ts";
import { applyTargetFlags, type TargetFlags } from "./apply-target-flags.ts";
import { checkResolved } from "./check-resolved.ts";
import { completeManifest, type ManifestDocument } from "./complete-manifest.ts";
import { ConfigError } from "./config-error.ts";
import { chooseTarget } from "./choose-target.ts";
import { resolveReferences } from "./resolve-references.ts";
import type { Manifest } from "../core/manifest.ts";
import type { NamedSecret } from "../core/named-secret.ts";
import { headerSecretName } from "../core/exchange/headers/header-secret-name.ts";
import { isSecretHeader } from "../core/exchange/headers/secret-header.ts";
import { hideValues } from "./hide-values.ts";

export interface ParsedManifest {
  readonly manifest: Manifest;
  /** The members that were left out, with the reason: keys whose variables are not set. */
  readonly notes: readonly string[];
}

export interface ParseOptions {
  /** Shown in messages. */
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `--base-url`: where it names another host, nothing in the manifest that belongs to its own target is used. */
  readonly baseUrl?: string | null;
  /** Flags that describe the way to the target. */
  readonly flags?: TargetFlags;
}

/** Text of `assay.config.yaml` to a manifest; throws a `ConfigError` that holds every problem with its line. */
export function parseManifest(text: string, { file, env, baseUrl = null, flags = {} }: ParseOptions): ParsedManifest {
  const { value, problems, leftOut, problemAt } = readYaml(text, { file, schema: "config.schema", isSecret });
  if (problems.length > 0) throw new ConfigError(problems, leftOut);

  const { document: chosen, notes } = chooseTarget(value as ManifestDocument, { file, env, baseUrl });
  const resolved = resolveReferences(chosen, env);
  const complete = completeManifest(resolved.document);
  const secrets = [...resolved.secrets, ...headersOfFaults(complete)];
  const checked = checkResolved(secrets.length === 0 ? complete : { ...complete, secrets }, file);
  const found = [...resolved.problems, ...checked.problems];
  // A reference that is not set explains by itself why what it stands for is wrong.
  const memberOf = (problem: (typeof found)[number]): string => problem.path.join(".");
  const first = found.filter((problem, index) => found.findIndex((other) => memberOf(other) === memberOf(problem)) === index);
  if (first.length > 0) {
    const placed = first.map(({ path, ...words }) => problemAt(path, { ...words, message: hideValues(words.message, secrets) }));
    throw new ConfigError(placed.toSorted((one, other) => one.line! - other.line!));
  }
  const flagged = applyTargetFlags(checked.manifest, flags, env);
  const said = [...notes, ...resolved.notes, ...checked.notes, ...flagged.notes];
  return { manifest: flagged.manifest, notes: said.map((note) => hideValues(note, secrets)) };
}

/** Whether the member at this path may be a secret that was written into the file. */
function isSecret(path: readonly string[]): boolean {
  return (
    ["keys", "control", "faults"].includes(path[0] ?? "") ||
    (path[0] === "target" && ["headers", "proxy"].includes(path[1] ?? ""))
  );
}

function headersOfFaults({ faults }: Manifest): readonly NamedSecret[] {
  return Object.values(faults)
    .flatMap(({ headers }) => Object.entries(headers))
    .filter(([name, value]) => isSecretHeader(name, value))
    .map(([name, value]) => ({ value, name: headerSecretName(name), isCredential: true }));
}
