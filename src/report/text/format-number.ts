/** At least `digits` significant digits, no exponent, thousands grouped from 10,000 on. */
export function formatNumber(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const magnitude = Math.abs(value);
  if (Number.isInteger(value) || magnitude >= 10 ** (digits - 1)) return groupThousands(Math.round(value));
  const decimals = Math.min(6, Math.max(0, digits - 1 - Math.floor(Math.log10(magnitude))));
  return value.toFixed(decimals).replace("-", "−");
}

export function formatCount(value: number): string {
  return groupThousands(Math.round(value));
}

export function formatMs(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : `${formatNumber(value)} ms`;
}

/** `0.42 s`, `41.2 s`, `4 min 12 s`, `2 h 03 min` */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return "–";
  const seconds = ms / 1000;
  if (seconds < 1) return `${formatNumber(ms)} ms`;
  if (seconds < 60) return `${formatNumber(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
  return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, "0")} min`;
}

/** Instants on the run clock: `+118.4 s`. */
export function formatInstant(ms: number): string {
  return `${ms < 0 ? "−" : "+"}${(Math.abs(ms) / 1000).toFixed(Math.abs(ms) < 10_000 ? 3 : 1)} s`;
}

export function formatPercent(fraction: number | null | undefined, digits = 1): string {
  if (fraction === null || fraction === undefined) return "–";
  // A figure that rounds to zero has no sign.
  const text = (fraction * 100).toFixed(digits).replace(/^-(?=[0.]+$)/, "");
  return `${text.replace("-", "−")} %`;
}

/** A figure with its unit; shares are reported as percentages, counts without a unit. */
export function formatFigure(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined) return "–";
  if (unit === "fraction") return `${formatNumber(value * 100)} %`;
  return unit === "" || unit === "count" ? formatNumber(value) : `${formatNumber(value)} ${unit}`;
}

export function formatCents(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}

export function formatUsd(dollars: number): string {
  return `$${dollars.toFixed(dollars !== 0 && Math.abs(dollars) < 0.01 ? 4 : 2)}`;
}

/** `2 findings`, `1 finding` */
export function countOf(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

function groupThousands(value: number): string {
  const text = String(Math.abs(value));
  const grouped = text.length > 4 ? text.replace(/\B(?=(\d{3})+$)/g, ",") : text;
  return value < 0 ? `−${grouped}` : grouped;
}
