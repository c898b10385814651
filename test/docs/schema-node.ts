/** A part of one of our JSON Schemas, as far as the pages of docs/ show it. */
export interface SchemaNode {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly SchemaNode[];
  readonly anyOf?: readonly SchemaNode[];
  readonly items?: SchemaNode;
  readonly $ref?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly $defs?: Readonly<Record<string, SchemaNode>>;
}

/** `list or mapping`: types in the words of the pages. */
export function typeWords(types: readonly string[]): string {
  return types.map((type) => (type === "object" ? "mapping" : type === "array" ? "list" : type)).join(" or ");
}
