import type { Tried } from "./try-attack.ts";

/** A line for each command, then every pair that did not hold, then the slowest and the largest; Markdown. */
export function renderTried(tried: readonly Tried[]): string {
  const commands = [...new Set(tried.map(({ command }) => command))];
  const rows = commands.map((command) => {
    const own = tried.filter((one) => one.command === command);
    const held = own.filter(({ broken }) => broken.length === 0).length;
    const codes = [...new Set(own.map(({ exitCode }) => String(exitCode)))].sort().join(", ");
    const requests = Math.max(...own.map((one) => one.requests));
    const slowest = own.reduce((worst, one) => (one.seconds > worst.seconds ? one : worst));
    const largest = Math.max(...own.map(({ peakMegabytes }) => peakMegabytes));
    return `| ${command} | ${own.length} | ${held} | ${codes} | ${requests} | ${largest} | ${slowest.seconds.toFixed(0)} (${slowest.attack}) |`;
  });
  const broken = tried.filter((one) => one.broken.length > 0);
  const peak = Math.max(0, ...tried.map(({ peakMegabytes }) => peakMegabytes));
  return [
    "| command | tried | held | exit codes | requests at most | MB at most | seconds at most |",
    "|---|---|---|---|---|---|---|",
    ...rows,
    "",
    ...broken.map(
      (one) =>
        `not held: ${one.attack} | ${one.command}: ${one.broken.join(", ")} (exit ${one.exitCode}, ${one.seconds.toFixed(0)} s, ${one.peakMegabytes} MB)`,
    ),
    `${tried.length} tried, ${tried.length - broken.length} held, ${peak} MB at most`,
    "",
  ].join("\n");
}
