/** One way in which a value does not match a JSON Schema. */
export interface SchemaProblem {
  /** JSON pointer into the value. */
  readonly pointer: string;
  /** Schema keyword that failed: `type`, `required`, `const` ... */
  readonly keyword: string;
  /** Property at fault for `required` and `additionalProperties`, else null. */
  readonly property: string | null;
  readonly message: string;
}
