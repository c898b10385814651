/** What environment variables that hold secrets are called, whoever set them. */
export const secretVariable: RegExp = /(?:^|_)(?:key|token|secret|password)$/i;
