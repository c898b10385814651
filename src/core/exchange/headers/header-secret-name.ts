/** The name that is shown in the place of the value of a header field, in angle brackets. */
export function headerSecretName(field: string): string {
  return `header:${field.toLowerCase()}`;
}
