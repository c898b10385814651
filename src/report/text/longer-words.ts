/** How much longer a measurement had to be; nothing where it is long enough, or nobody can say. Rounded up, as the reasons of gates are. */
export function longerWords(timesAsLong: number | undefined): string {
  if (timesAsLong === undefined || timesAsLong <= 1) return "";
  if (timesAsLong >= 1000) return "1,000+ x as long";
  return `${timesAsLong < 10 ? (Math.ceil(10 * timesAsLong) / 10).toFixed(1) : Math.ceil(timesAsLong)} x as long`;
}
