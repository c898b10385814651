import { percentDecoded } from "../core/percent-decoded.ts";
import { createRedactor } from "../wire/redaction/redaction.ts";
import { secretVariable } from "../wire/redaction/secret-variable.ts";
import type { Manifest } from "../core/manifest.ts";

type Secrets = Pick<Manifest, "keys" | "control" | "target" | "secrets">;

const shortestSecret = 8;

let mask: (text: string) => string = (text) => text;

/**
 * Masks all that the process prints from here on, crash dumps included: what the environment holds as a key, token, secret or
 * password. The last line of defence, for messages that no record goes through.
 */
export function maskOutput(env: NodeJS.ProcessEnv): void {
  const keys = Object.entries(env).filter(([name, value]) => secretVariable.test(name) && (value?.length ?? 0) >= shortestSecret);
  mask = createRedactor({
    keys: Object.fromEntries(keys.map(([name, value]) => [name, { secret: value ?? "", id: null, createdAtMs: null }])),
    control: null,
    target: { headers: {} } as Manifest["target"],
  }).maskDeep;
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (chunk: unknown, ...rest: readonly unknown[]) => boolean;
    stream.write = (chunk: unknown, ...rest: readonly unknown[]) =>
      write(typeof chunk === "string" ? mask(chunk) : chunk, ...rest);
  }
}

/** Masks the user and the password of an address, such as that of a broker or a proxy. */
export function maskCredentialsOf(address: string, name: string): void {
  const { username, password } = new URL(address);
  const parts = [username, password].flatMap((part) => [part, percentDecoded(part)]);
  const secrets = [...new Set(parts)].filter((part) => part.length >= shortestSecret);
  if (secrets.length === 0) return;
  maskKeysOf({
    keys: {},
    control: null,
    target: { headers: {} } as Manifest["target"],
    secrets: secrets.map((value) => ({ value, name, isCredential: true })),
  });
}

/** Masks the keys of a manifest as well, whatever their variables are called. */
export function maskKeysOf(manifest: Secrets): void {
  const before = mask;
  const { maskDeep } = createRedactor(manifest);
  mask = (text) => before(maskDeep(text));
}
