import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Manifest } from "../core/manifest.ts";
import type { ReferenceProblem } from "./resolve-references.ts";
import { isFieldName, isFieldValue } from "./field-syntax.ts";
import { shortName } from "../core/short-value.ts";
import { isLoopback } from "../core/is-loopback.ts";

export interface CheckedManifest {
  readonly manifest: Manifest;
  readonly problems: readonly ReferenceProblem[];
  readonly notes: readonly string[];
}

/** Shorter secrets are found in ordinary words: they could not be taken out of records without spoiling them. */
const shortestSecret = 8;

const baseUrlForm = "an absolute http or https URL without credentials, such as http://127.0.0.1:8080";

/** Checks that need replaced references: addresses, characters that header fields can carry, keys that are the same, files. */
export function checkResolved(manifest: Manifest, file: string | null): CheckedManifest {
  const problems: ReferenceProblem[] = [];
  const notes: string[] = [];
  const report = (path: readonly string[], message: string, expected: string | null): void => {
    problems.push({ path, message, expected, suggestion: null });
  };
  checkBaseUrl(manifest.target.baseUrl, report, notes);
  for (const [name, value] of Object.entries(manifest.target.headers)) {
    if (!isFieldName(name)) {
      report(["target", "headers", name], "not a valid header name", "letters, digits and hyphens");
    }
    if (!isFieldValue(value))
      report(["target", "headers", name], "the value holds characters that a header cannot contain", null);
  }
  const owners = new Map<string, string>();
  for (const [name, { secret, allowShort }] of Object.entries(manifest.keys)) {
    const path = ["keys", name];
    if (!/^[\x21-\x7e]+$/.test(secret)) {
      report(
        path,
        "the key holds blanks, line ends or other characters that a header cannot contain",
        "the bare key in the variable",
      );
    } else if (secret.length < shortestSecret && allowShort !== true) {
      report(
        path,
        `the key is shorter than ${shortestSecret} characters and cannot be kept out of records`,
        `a real key; if this one is not a secret, allow it by name in a manifest: ${name}: { secret: ..., allowShort: true }`,
      );
    }
    const owner = owners.get(secret);
    if (owner !== undefined)
      report(path, `this is the same key as ${owner}`, "a key of its own: checks compare what two keys do");
    owners.set(secret, name);
  }
  const { caFile } = manifest.target.tls;
  if (caFile === null) return { manifest, problems, notes };
  const path = resolve(file === null ? "." : dirname(file), caFile);
  if (!isFile(path))
    report(["target", "tls", "caFile"], `there is no file ${shortName(caFile)}`, "a path relative to the manifest");
  const tls = { ...manifest.target.tls, caFile: path };
  return { manifest: { ...manifest, target: { ...manifest.target, tls } }, problems, notes };
}

/** A name that no file can have (too long, with U+0000) is refused by the system with an error of its own. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** `localhost:8080`, which is a URL of scheme localhost, and `10.0.0.7:8080/api`, which is none. */
const bareAddress = /^(?:\w[\w-]*\.)*\w[\w-]*:\d{1,5}(?:\/[^\s]*)?$/;

function checkBaseUrl(
  baseUrl: string,
  report: (path: readonly string[], message: string, expected: string | null) => void,
  notes: string[],
): void {
  const path = ["target", "baseUrl"];
  if (bareAddress.test(baseUrl)) {
    report(path, `http:// or https:// is missing before ${shortName(baseUrl)}`, baseUrlForm);
    return;
  }
  if (!URL.canParse(baseUrl)) {
    report(path, "not a valid URL", baseUrlForm);
    return;
  }
  const url = new URL(baseUrl);
  if (!["http:", "https:"].includes(url.protocol))
    report(path, `addresses of scheme ${shortName(url.protocol)} cannot be a target`, baseUrlForm);
  if (url.username !== "" || url.password !== "") report(path, "the address holds a user name or password", baseUrlForm);
  if (url.search !== "" || url.hash !== "") report(path, "the address holds a query or fragment", baseUrlForm);
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    notes.push(`keys travel unencrypted to ${url.host}: the address is http, not https`);
  if (/\/v1\/?$/.test(url.pathname))
    notes.push("target.baseUrl ends with /v1, and every path begins with /v1: it may be one too many");
}
