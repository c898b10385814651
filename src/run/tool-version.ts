import { existsSync, readFileSync } from "node:fs";

/** Version in package.json, which lies two folders up in the source tree and three in the build. */
export function readToolVersion(): string {
  const file = ["../../package.json", "../../../package.json"]
    .map((path) => new URL(path, import.meta.url))
    .find((url) => existsSync(url));
  return file === undefined ? "0.0.0" : (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
