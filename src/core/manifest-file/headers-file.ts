/**
 * at most 100 header names with string values
 * @maxProperties 100
 */
export type HeadersFile = Readonly<Record<string, HeaderValue>>;

/** a string */
type HeaderValue = string;
