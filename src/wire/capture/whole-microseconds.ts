/** Lower ends of intervals are rounded down and upper ends up, so that an interval never loses what it held. */
export function floorToMicroseconds(ms: number): number {
  return Math.floor(ms * 1000) / 1000;
}

export function ceilToMicroseconds(ms: number): number {
  return Math.ceil(ms * 1000) / 1000;
}
