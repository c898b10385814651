import { readPackage } from "../schemas/read-package.ts";

/** Version in package.json. */
export function readToolVersion(): string {
  return readPackage().version;
}
