import { writeFileSync } from "node:fs";
import { exitCodes } from "../../../core/result/verdict.ts";
import { buildOpenApi } from "../build-openapi.ts";
import { readToolVersion } from "../../../run/tool-version.ts";
import { UsageError } from "../../../command/usage-error.ts";
import { output } from "../../../report/terminal/output.ts";

export interface OpenApiFlags {
  readonly out?: string;
  readonly server?: string;
}

/** The specification as an OpenAPI 3.1 document in JSON, on standard output or in a file. */
export function openApiCommand({ out, server }: OpenApiFlags): number {
  if (server !== undefined && !/^https?:\/\/[^/]/.test(server))
    throw new UsageError(`--server ${server} is not an http or https address`, "such as https://staging.example/api");
  const document = buildOpenApi({ version: readToolVersion(), ...(server === undefined ? {} : { serverUrl: server }) });
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (out === undefined) output.printRendered(text);
  else writeFileSync(out, text);
  return exitCodes.met;
}
