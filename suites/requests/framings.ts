type Fields = Readonly<Record<string, string>>;

/** Fields of a request whose body goes out in chunks of 1, 2, 4, 8 bytes and so on. */
export const inChunks: Fields = { "transfer-encoding": "chunked" };

/** Fields of a request whose body is held back until the server asks for it, or a moment has passed. */
export const afterContinue: Fields = { expect: "100-continue" };
