import type { CapacityFit } from "./fit-capacity.ts";

/**
 * The requests of a search whose interval is as narrow as asked for, by those that it has sent; null where they suffice. The interval of a
 * search that goes on as it did narrows with the root of its requests. Two digits, rounded up: fewer would not do.
 */
export function neededRequests(
  { value, low, high }: Pick<CapacityFit, "value" | "low" | "high">,
  { requests, precision }: { readonly requests: number; readonly precision: number },
): number | null {
  const times = ((high - low) / (2 * precision * value)) ** 2;
  if (times <= 1) return null;
  const wanted = requests * times;
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(wanted)) - 1);
  return Math.ceil(wanted / unit) * unit;
}
