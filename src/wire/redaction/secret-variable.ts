/** The names of environment variables that hold secrets of any program. */
export const secretVariable: RegExp = /(?:^|_)(?:key|token|secret|password)$/i;
