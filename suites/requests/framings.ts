/** Fields of a request whose body goes out in chunks of 1, 2, 4, 8 bytes and so on. */
export const inChunks: Readonly<Record<string, string>> = { "transfer-encoding": "chunked" };
