/** The same for all services of the tests: to find every form of their secrets takes a redactor 15 ms, and it keeps what it found. */
export const controlToken: string = "control-token-of-the-tests";
