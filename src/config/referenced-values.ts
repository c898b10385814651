import type { NamedSecret } from "../core/named-secret.ts";

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
export function secretOf(variable: string, value: string, path: readonly string[], resolved: string): NamedSecret | null {
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
