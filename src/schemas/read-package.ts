import { existsSync, readFileSync } from "node:fs";
import { packageFolder } from "./package-folder.ts";

interface PackageFacts {
  /** The name under which it is installed: scoped, since the name of the command belongs to somebody else in the registry. */
  readonly name: string;
  readonly version: string;
}

/** Name and version in package.json, which lies beside the source tree and one folder above the build. */
export function readPackage(): PackageFacts {
  const file = ["package.json", "../package.json"].map((path) => new URL(path, packageFolder)).find((url) => existsSync(url));
  const { name = "assay", version = "0.0.0" } =
    file === undefined ? {} : (JSON.parse(readFileSync(file, "utf8")) as Partial<PackageFacts>);
  return { name, version };
}
