import { readYaml } from "../schemas/read-yaml.ts";
import { applyTargetFlags, type TargetFlags } from "./apply-target-flags.ts";
import { checkResolved } from "./check-resolved.ts";
import type { ManifestFile } from "../core/manifest-file/manifest-file.ts";
import { completeManifest } from "./complete-manifest.ts";
import { ConfigError } from "./config-error.ts";
import { chooseTarget } from "./choose-target.ts";
import { resolveReferences, type ReferenceProblem } from "./resolve-references.ts";
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

  const { document: chosen, notes } = chooseTarget(value as ManifestFile, { file, env, baseUrl });
  const resolved = resolveReferences(chosen, env);
  const complete = completeManifest(resolved.document);
  const secrets = [...resolved.secrets, ...headersOfFaults(complete)];
  const checked = checkResolved(secrets.length === 0 ? complete : { ...complete, secrets }, file);
  const first = firstOfMembers([...resolved.problems, ...checked.problems]);
  if (first.length > 0) {
    const placed = first
      .slice(0, mostDescribed)
      .map(({ path, ...words }) => problemAt(path, { ...words, message: hideValues(words.message, secrets) }));
    const inOrder = placed.toSorted((one, other) => one.line! - other.line!);
    throw new ConfigError(inOrder, first.length - placed.length);
  }
  const flagged = applyTargetFlags(checked.manifest, flags, env);
  const said = [...notes, ...resolved.notes, ...checked.notes, ...flagged.notes];
  return { manifest: flagged.manifest, notes: boundNotes(said).map((note) => hideValues(note, secrets)) };
}

/** More than anybody reads: the problems after these are counted. */
const mostDescribed = 50;

/** One problem a member: a reference that is not set explains by itself why what it stands for is wrong. */
function firstOfMembers(problems: readonly ReferenceProblem[]): readonly ReferenceProblem[] {
  const byMember = new Map<string, ReferenceProblem>();
  for (const problem of problems) {
    const member = problem.path.join(".");
    if (!byMember.has(member)) byMember.set(member, problem);
  }
  return [...byMember.values()];
}

/** A screen of notes, however many keys a manifest names that are not there. */
const mostNotes = 15;

function boundNotes(notes: readonly string[]): readonly string[] {
  const left = notes.length - mostNotes;
  return left <= 0 ? notes : [...notes.slice(0, mostNotes), `and ${left} more ${left === 1 ? "note" : "notes"} on the manifest`];
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
