/** Fields by which a request states another framing than a length: chunks, and a body that is held back until the server asks for it. */
export const framingFields: readonly string[] = ["transfer-encoding", "expect"];
