import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReferenceService } from "../../../src/reference/start-reference-service.ts";
import type { BoundedRun } from "../run-bounded.ts";

export const bounds = { seconds: 300, megabytes: 512 } as const;

export function keyOf(service: ReferenceService): string {
  return service.manifest.keys["primary"]?.secret ?? "";
}

/** A new folder with these files; what is no text is written as JSON. */
export function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), "assay-generated-"));
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  return folder;
}

/** The promises that every command holds, whatever it is given. */
export function findFaults(
  { exitCode, output, peakMegabytes }: BoundedRun,
  folder: string,
  ...secrets: readonly string[]
): readonly string[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const left = names
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.endsWith("assay.config.yaml"))
    .map((file) => readFileSync(file, "utf8"));
  const isLeaked = secrets.some((secret) => [output, ...left].some((text) => text.includes(secret)));
  return [
    exitCode === null ? "did not end" : "",
    exitCode === 4 ? "exit 4" : "",
    peakMegabytes > bounds.megabytes ? "memory" : "",
    isLeaked ? "secret leaked" : "",
    /^\s+at .*\.[jt]s:\d+/m.test(output) ? "a stack in the output" : "",
  ].filter((one) => one !== "");
}
