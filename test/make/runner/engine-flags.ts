/**
 * Each worker compiles the same sources anew, and each command that a test starts its own: baseline code at once, and optimized code only
 * of what runs long, takes an eighth off the processor time. Later engines than that of Node 20 optimize in more steps, and lack the last
 * flag.
 */
export const compileFlags: readonly string[] = [
  "--always-sparkplug",
  ...(process.versions.node.startsWith("20.") ? ["--interrupt-budget=400000"] : []),
];

/** Answers are many and short-lived: a larger young generation takes a twentieth off the processor time of an exam. */
export const engineFlags: readonly string[] = ["--max-semi-space-size=64", ...compileFlags];
