import { parseDocument, type Document, type LineCounter, type YAMLError } from "yaml";

export interface ParsedYaml {
  readonly document: Document;
  /** The first thing that is wrong: an error, or what the parser would only warn of. */
  readonly mistake: YAMLError | undefined;
}

/**
 * Parses YAML (or JSON). By itself the parser warns on stderr of names that are lists or mappings, and only there of tags that it does
 * not know: here both are mistakes. Text of strangers goes through `findYamlExcess` first.
 */
export function parseYaml(
  text: string,
  options: { readonly lineCounter?: LineCounter; readonly prettyErrors?: boolean } = {},
): ParsedYaml {
  const document = parseDocument(text, { ...options, logLevel: "error" });
  const [mistake] = [...document.errors, ...document.warnings];
  return { document, mistake };
}
