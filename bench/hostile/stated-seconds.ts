/** Seconds that a run says it takes at most, before it sends anything; null where it says nothing. */
export function statedSeconds(output: string): number | null {
  const line = /worst case of this run: (.*)/.exec(output)?.[1];
  if (line === undefined) return null;
  const minutes = Number(/([\d.]+) minutes/.exec(line)?.[1] ?? 0);
  const load = Number(/([\d.]+) s of load/.exec(line)?.[1] ?? 0);
  return 60 * minutes + load;
}
