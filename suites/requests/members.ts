/** Members of a JSON request body. */
export type Members = Readonly<Record<string, unknown>>;
