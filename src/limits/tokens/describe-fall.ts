export function describeFall(fell: number): string {
  return fell >= 0 ? `fell by ${fell}` : `rose by ${-fell}`;
}
