/** Whether a text can be the name of a header field (RFC 9110 section 5.1). */
export function isFieldName(text: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text);
}

/** Whether a text can be the value of one (RFC 9110 section 5.5), without the obsolete bytes above ASCII. */
export function isFieldValue(text: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(text);
}
