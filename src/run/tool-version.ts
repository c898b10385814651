import { existsSync, readFileSync } from "node:fs";
import { packageFolder } from "../schemas/package-folder.ts";

/** Version in package.json, which lies beside the source tree and one folder above the build. */
export function readToolVersion(): string {
  const file = ["package.json", "../package.json"].map((path) => new URL(path, packageFolder)).find((url) => existsSync(url));
  return file === undefined ? "0.0.0" : (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
