import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { type ReferenceService, startReferenceService } from "../../src/reference/start-reference-service.ts";
import { emptyFolder } from "./run-assay.ts";
import { keep } from "../make/keep.ts";

/** A reference service in this process for the running test, and a folder with a manifest for it as a user would write one. */
export interface LiveTarget {
  readonly service: ReferenceService;
  readonly folder: string;
  /** The variables that the manifest refers to. */
  readonly env: Readonly<Record<string, string>>;
}

/** `through` gives the base URL that the manifest names, such as that of a proxy; default: the service itself. */
export async function openLiveTarget(
  keys: readonly string[],
  changes: Readonly<Record<string, unknown>> = {},
  through: (serviceUrl: string) => Promise<string> = (serviceUrl) => Promise.resolve(serviceUrl),
): Promise<LiveTarget> {
  const service = keep(await startReferenceService());
  const baseUrl = await through(service.manifest.target.baseUrl);
  const { manifest } = service;
  const folder = emptyFolder();
  const variable = (name: string): string => `KEY_${name.toUpperCase()}`;
  const entries = keys.map((name) => [name, { secret: `\${${variable(name)}}`, id: manifest.keys[name]?.id ?? null }] as const);
  const document = {
    target: { name: "live", baseUrl, plan: "pro" },
    keys: Object.fromEntries(entries),
    models: manifest.models,
    ...changes,
  };
  writeFileSync(join(folder, "assay.config.yaml"), stringify(document));
  return { service, folder, env: Object.fromEntries(keys.map((name) => [variable(name), manifest.keys[name]?.secret ?? ""])) };
}
