/** The address without what stands for credentials in it. */
export function showBroker(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}
