/** Whether a status says that nobody serves this path, or not with this method. */
export function isNotServed({ status }: { readonly status: number | null }): boolean {
  return status === 404 || status === 405 || status === 501;
}
