import type { Feature } from "../../command/feature.ts";

/** The specification as an OpenAPI document. */
export const openApi: Feature = {
  addCommands(program, use) {
    program
      .command("openapi")
      .description("print the specification as an OpenAPI 3.1 document")
      .option("--out <file>", "file to write to (default: standard output)")
      .option("--server <url>", "base URL of the document (default: a variable)")
      .action(use(async () => (await import("./commands/openapi.ts")).openApiCommand));
  },
  examples: { openapi: [["assay openapi --out openapi.json", "write the document to a file"]] },
};
