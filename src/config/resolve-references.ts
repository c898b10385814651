import { shortName } from "../core/short-value.ts";
import { suggestWord } from "../core/suggest-word.ts";
import type { NamedSecret } from "../core/named-secret.ts";
import { keyRoles } from "../core/key-roles.ts";
import type { ManifestFile } from "../core/manifest-file/manifest-file.ts";

/** Shorter values are found in ordinary words, as shorter keys are. */
const shortestSecret = 8;

/** Members whose values are shown by their purpose: a plain word in them is none that has to be hidden. */
function isShownByPurpose([first, second]: readonly string[]): boolean {
  return first === "models" || (first === "target" && second === "name") || first === "baseline" || first === "waive";
}

function isAddress(path: readonly string[]): boolean {
  return ["target.baseUrl", "control.url"].includes(path.join("."));
}

function isCredential([first, second, third]: readonly string[]): boolean {
  return (
    (first === "control" && second === "token") ||
    (first === "target" && (second === "headers" || second === "proxy")) ||
    (first === "faults" && third === "headers")
  );
}

/**
 * The value of a variable that a member refers to, as it has to be masked; null if it is like ordinary words. Of an address
 * the scheme, the host and the port are shown, because every run names its target; the user, the path and the query are not.
 */
function secretOf(variable: string, value: string, path: readonly string[], resolved: string): NamedSecret | null {
  const hidden = isAddress(path) ? hiddenPart(value, resolved) : value;
  if (hidden === null || hidden.length < shortestSecret) return null;
  if (isShownByPurpose(path) && /^[a-z]+(?:[-_. ][a-z]+)*$/i.test(hidden)) return null;
  return { value: hidden, name: `env:${variable}`, isCredential: isCredential(path) };
}

/** The part of a value that does not say which machine and port are spoken to. */
function hiddenPart(value: string, resolved: string): string | null {
  if (URL.canParse(value) && /^https?:/i.test(value)) {
    const { pathname, search } = new URL(value);
    return `${pathname}${search}`.replace(/^\/+|\/+$/g, "");
  }
  const origin = URL.canParse(resolved) ? new URL(resolved).origin : "";
  return origin.includes(value.toLowerCase()) ? null : value;
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface ReferenceProblem {
  readonly path: readonly string[];
  readonly message: string;
  readonly expected: string | null;
  readonly suggestion: null;
}

export interface Resolved {
  readonly document: ManifestFile;
  readonly problems: readonly ReferenceProblem[];
  readonly notes: readonly string[];
  /** The values of the references outside of the keys' secrets, which have names of their own. */
  readonly secrets: readonly NamedSecret[];
}

const roles: readonly string[] = keyRoles.map(({ name }) => name);
const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * Replaces `${NAME}` in every string. Without a key named `primary` it is ASSAY_API_KEY. Every other key may name a variable that is not set: the key is left out with a
 * note, so that one manifest serves machines that hold all keys and machines that hold one. A secret written out in the
 * file is refused: files are committed and copied.
 */
export function resolveReferences(document: ManifestFile, env: Environment): Resolved {
  const problems: ReferenceProblem[] = [];
  const notes: string[] = [];
  const report = (path: readonly string[], message: string, expected: string): void => {
    problems.push({ path, message, expected, suggestion: null });
  };
  const secrets = new Map<string, NamedSecret>();
  const collect = (path: readonly string[], text: string): void => {
    const resolved = replaceReferences(text, env);
    for (const [, name] of text.matchAll(reference)) {
      const value = env[name ?? ""] ?? "";
      const secret = value === "" ? null : secretOf(name ?? "", value, path, resolved);
      // A variable may stand in two places: the one that hides more decides.
      if (secret !== null && secrets.get(secret.value)?.isCredential !== true) secrets.set(secret.value, secret);
    }
  };
  const keys = Object.entries(document.keys ?? {}).flatMap(([name, entry]) => {
    const secret = typeof entry === "string" ? entry : entry.secret;
    const path = ["keys", name];
    if (secret.search(reference) < 0) {
      report(path, "a secret is written out", "a reference such as ${ASSAY_API_KEY}");
      return [];
    }
    const missing = missingNames(secret, env);
    if (missing.length === 0) {
      if (typeof entry !== "string" && typeof entry.id === "string") collect([...path, "id"], entry.id);
      return [[name, replaceAll(entry, env)] as const];
    }
    if (name === "primary") {
      report(path, `${listNames(missing)} is not set`, "the variable in the environment");
    } else {
      notes.push(`key ${shortName(name)} is left out: ${listNames(missing)} is not set`);
    }
    return [];
  });
  const { keys: _keys, ...rest } = document;
  const ordinary = env["ASSAY_API_KEY"] ?? "";
  if (document.keys?.["primary"] === undefined) {
    if (ordinary === "") {
      const expected = "the API key of the target in the variable ASSAY_API_KEY";
      report(["keys", "primary"], "no key is given, and ASSAY_API_KEY is not set", expected);
    } else keys.unshift(["primary", ordinary] as const);
  }
  for (const name of Object.keys(document.keys ?? {})) {
    const suggestion = roles.includes(name) ? null : suggestWord(name, roles);
    if (suggestion !== null) notes.push(`no check uses a key named ${shortName(name)}: ${suggestion}`);
  }
  const walk = (value: unknown, path: readonly string[]): unknown => {
    if (typeof value === "string") {
      const missing = missingNames(value, env);
      if (missing.length > 0) {
        report(path, `${listNames(missing)} is not set`, "the variable in the environment");
      }
      if (path.join(".") === "target.proxy" && /:\/\/[^/@$]+@/.test(value))
        report(path, "a secret is written out", "references such as http://${PROXY_USER}:${PROXY_PASSWORD}@proxy.example:3128");
      if (value.search(reference) >= 0 && isVocabulary(path))
        report(path, "a reference stands for an id of the catalogue", "the id itself");
      collect(path, value);
      return replaceReferences(value, env);
    }
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, String(index)]));
    if (typeof value === "object" && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner, [...path, name])]));
    }
    return value;
  };
  const resolved = { ...(walk(rest, []) as ManifestFile), keys: Object.fromEntries(keys) };
  return { document: resolved, problems, notes, secrets: [...secrets.values()] };
}

/** Members that are compared with ids of assay: to mask the words that they hold would change verdicts. */
function isVocabulary([first, , third]: readonly string[]): boolean {
  return first === "require" || ((first === "baseline" || first === "waive") && third === "id");
}

/** As many as a reader mends at once. */
function listNames(names: readonly string[]): string {
  const [shown, left] = [names.slice(0, 5).map(shortName), names.length - 5];
  return `${shown.join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
}

/** The variables that a text refers to and that are not set. */
export function missingNames(text: string, env: Environment): readonly string[] {
  return [...text.matchAll(reference)].map(([, name]) => name!).filter((name) => (env[name] ?? "") === "");
}

export function replaceReferences(text: string, env: Environment): string {
  return text.replace(reference, (_, name: string) => env[name] ?? "");
}

function replaceAll<Entry extends string | object>(entry: Entry, env: Environment): Entry {
  if (typeof entry === "string") return replaceReferences(entry, env) as Entry;
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [name, typeof value === "string" ? replaceReferences(value, env) : value]),
  ) as Entry;
}
