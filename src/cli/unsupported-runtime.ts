const least = [20, 19] as const;

/**
 * Why assay does not run here; null where it does. Bun and Deno claim to be a Node of some version: their sockets, timers and parsers are
 * others, and instants that were measured with them would be those of another instrument.
 */
export function unsupportedRuntime(versions: Readonly<Record<string, string | undefined>>): string | null {
  const [name, version] = [["Bun", versions["bun"]] as const, ["Deno", versions["deno"]] as const].find(
    (one) => one[1] !== undefined,
  ) ?? ["Node", versions["node"] ?? ""];
  if (name !== "Node") return `${name} ${version} is not supported: assay runs on Node ${least.join(".")} or later`;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > least[0] || (major === least[0] && minor >= least[1])) return null;
  return `Node ${version} is too old: assay runs on Node ${least.join(".")} or later`;
}
