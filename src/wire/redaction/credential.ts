import type { Credential, Distortion, SendRequest } from "../../core/exchange/send-request.ts";

/** The field to send and what the record shows of it. */
export interface AuthorizationField {
  readonly name: string;
  readonly value: string;
  readonly shown: string;
}

/** The text that a distortion puts before the key. */
const schemes: Readonly<Record<Distortion, string>> = {
  "no-scheme": "",
  "no-space": "Bearer",
  "basic-scheme": "Basic ",
  "token-scheme": "Token ",
  "lower-case-scheme": "bearer ",
  "two-spaces": "Bearer  ",
  "mixed-case-field-name": "Bearer ",
  "other-field": "",
  "api-key-field": "",
  cookie: "api_key=",
  "basic-pair": "Basic ",
  "last-character-changed": "Bearer ",
  cut: "Bearer ",
  appended: "Bearer ",
  "case-swapped": "Bearer ",
  "text-after-space": "Bearer ",
  "text-after-tab": "Bearer ",
  "text-after-comma": "Bearer ",
  "text-after-semicolon": "Bearer ",
  "text-before": "Bearer ",
  twice: "Bearer ",
  "in-quotes": "Bearer ",
};

/** The field that holds the key, if it is not Authorization. */
const fieldNames: Readonly<Partial<Record<Distortion, string>>> = {
  "mixed-case-field-name": "aUTHORIZATION",
  "other-field": "x-api-key",
  "api-key-field": "api-key",
  cookie: "cookie",
};

/** The change of the key by a distortion; the others leave it alone. */
const alterations: Readonly<Partial<Record<Distortion, (secret: string) => string>>> = {
  "last-character-changed": (secret) => `${secret.slice(0, -1)}${secret.endsWith("A") ? "B" : "A"}`,
  cut: (secret) => secret.slice(0, -1),
  // No text goes on like this by chance: a key that is echoed whole must not pass for a distorted one.
  appended: (secret) => `${secret}Zq7`,
  "case-swapped": (secret) =>
    secret.replaceAll(/[A-Za-z]/g, (letter) => (letter < "a" ? letter.toLowerCase() : letter.toUpperCase())),
};

/**
 * The key as it is written: a user name without a password (RFC 7617), as `curl -u KEY:` does, and the whole key among other characters. An
 * answer that repeats one of them gives the key away.
 */
const writings: Readonly<Partial<Record<Distortion, (secret: string) => string>>> = {
  "basic-pair": (secret) => Buffer.from(`${secret}:`).toString("base64"),
  "in-quotes": (secret) => `"${secret}"`,
  "text-after-space": (secret) => `${secret} Zq7`,
  "text-after-tab": (secret) => `${secret}\tZq7`,
  "text-after-comma": (secret) => `${secret},Zq7`,
  "text-after-semicolon": (secret) => `${secret};Zq7`,
  "text-before": (secret) => `Zq7 ${secret}`,
  // Two fields, as intermediaries join them.
  twice: (secret) => `${secret}, Bearer ${secret}`,
};

/** The altered forms of a secret by distortion. */
export function alteredSecrets(secret: string): readonly (readonly [how: string, altered: string])[] {
  return Object.entries(alterations).map(([how, alter]) => [how, alter(secret)]);
}

/** null: no field is sent. Throws for a key that the manifest does not name: a fault of the caller, not of the target. */
export function authorizationField(credential: Credential, secretOf: (key: string) => string): AuthorizationField | null {
  if (credential.kind === "none") return null;
  if (credential.kind === "literal") return { name: "authorization", value: credential.value, shown: credential.value };
  const { key } = credential;
  const secret = secretOf(key);
  if (credential.kind === "bearer") return { name: "authorization", value: `Bearer ${secret}`, shown: `Bearer <key:${key}>` };
  const { how } = credential;
  const altered = alterations[how]?.(secret) ?? secret;
  const shownKey = altered === secret && writings[how] === undefined ? `<key:${key}>` : `<key:${key}:${how}>`;
  return {
    name: fieldNames[how] ?? "authorization",
    value: `${schemes[how]}${writings[how]?.(altered) ?? altered}`,
    shown: `${schemes[how]}${shownKey}`,
  };
}

/**
 * The key that a request validly presents; field names are case-insensitive (RFC 9110 section 5.1). A limiter may count it in spellings
 * that a service need not know, too, which is the question of an exam that sends them.
 */
export function presentedKey({ credential, intent }: Pick<SendRequest, "credential" | "intent">): string | null {
  if (credential.kind === "bearer" || (credential.kind === "distorted" && intent.kind === "limit")) return credential.key;
  return credential.kind === "distorted" && credential.how === "mixed-case-field-name" ? credential.key : null;
}
