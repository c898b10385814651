/** `96.8 %`, rounded down: a share below what is needed must not read like it, and must read alike wherever it stands. */
export function percentRoundedDown(share: number): string {
  return `${(Math.floor(1000 * share + 1e-6) / 10).toFixed(1)} %`;
}
