import type { LimitTimeline } from "../../core/result/limits-result.ts";

/**
 * The admission timeline for places that show no pictures: one character a slice of time. `#` admitted, `%` admitted and
 * rejected, `x` rejected only, `!` part of a finding, `.` nothing sent.
 */
export function drawTextStrip({ ops }: LimitTimeline, columns: number): string {
  let from = Infinity;
  let to = -Infinity;
  for (const op of ops) {
    from = Math.min(from, op.sentMs);
    to = Math.max(to, op.sentMs);
  }
  const width = Math.max(1, (to - from) / columns);
  const slices = Array.from({ length: columns }, () => ({ admitted: false, rejected: false, finding: false }));
  for (const op of ops) {
    const slice = slices[Math.min(columns - 1, Math.floor((op.sentMs - from) / width))];
    if (slice === undefined) continue;
    if (op.lane === "admitted" || op.lane === "queued") slice.admitted = true;
    if (op.lane === "rejected") slice.rejected = true;
    if (op.findings.length > 0) slice.finding = true;
  }
  const strip = slices
    .map(({ admitted, rejected, finding }) =>
      finding ? "!" : admitted && rejected ? "%" : admitted ? "#" : rejected ? "x" : ".",
    )
    .join("");
  const end = `+${(to / 1000).toFixed(0)} s`;
  return `${strip}\n${`+${(from / 1000).toFixed(0)} s`.padEnd(Math.max(1, columns - end.length))}${end}\n# admitted  x rejected  % both  ! finding`;
}
