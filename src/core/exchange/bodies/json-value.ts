/** The type of a value that `JSON.parse` returns. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [member: string]: JsonValue;
}
