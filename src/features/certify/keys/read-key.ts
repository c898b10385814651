import { readFileSync } from "node:fs";
import { readSigningKey, type SigningKey } from "./signing-key.ts";
import { UsageError } from "../../../command/usage-error.ts";

/** The private key in a file or, as `env:NAME`, in an environment variable. */
export function readKey(place: string): SigningKey {
  if (place.includes("PRIVATE KEY")) throw new UsageError("a key is never a flag", "give its file, or env:NAME");
  const name = /^env:(\w+)$/.exec(place)?.[1];
  const pem = name === undefined ? readText(place) : process.env[name];
  if (pem === undefined || pem === "") throw new UsageError(`the environment variable ${name ?? ""} is not set`);
  return readSigningKey(pem);
}

/** A small file as text. */
export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
