import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The benches as plain JavaScript. */
export interface CompiledBench {
  /** Folder of the compiled benches, with a slash at its end. */
  readonly folder: URL;
  remove(): void;
}

/**
 * Compiles the sources that the benches measure, as the package is compiled. A loader that translates on the fly adds code of
 * its own to every function (it keeps their names) and would be measured too.
 * Errors of types do not stop it; they are the business of the type check.
 */
export function compileBench(): CompiledBench {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  // Inside the project, so that packages are found.
  const target = join(root, `.dist-bench-${process.pid}`);
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const flags = [
    "--noEmit",
    "false",
    "--declaration",
    "false",
    "--isolatedDeclarations",
    "false",
    "--allowImportingTsExtensions",
    "false",
  ];
  try {
    execFileSync(process.execPath, [compiler, "-p", "tsconfig.json", ...flags, "--rootDir", ".", "--outDir", target], {
      cwd: root,
      stdio: "ignore",
    });
  } catch {
    // Emitted all the same; a file that is missing shows when a child does not start.
  }
  for (const data of ["schemas", "suites/profiles"]) cpSync(join(root, data), join(target, data), { recursive: true });
  return {
    folder: pathToFileURL(join(target, "bench/load/")),
    remove: () => rmSync(target, { recursive: true, force: true }),
  };
}
