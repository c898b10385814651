import { readFileSync } from "node:fs";
import { ProfileError } from "../profile/profile-error.ts";

/** A file that a profile names. Throws ProfileError. */
export function readText(path: string, name: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new ProfileError([`${name}: cannot be read (${error instanceof Error ? error.message.split(":")[0] : "unknown"})`]);
  }
}
