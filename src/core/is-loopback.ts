/** Whether a host name, as `URL.hostname` or a manifest has it, is of this machine. `127.example.com` is not. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (host === "localhost" || host.endsWith(".localhost") || host === "::1") return true;
  // An address of IPv4 that is written in IPv6 is judged as what it is: 127.0.0.1 is ::ffff:7f00:1.
  const { v4 = host } = /^::ffff:(?<v4>[\d.]+)$/.exec(host)?.groups ?? {};
  return isAddressOf127(v4) || /^::ffff:7f[\da-f]{2}:[\da-f]{1,4}$/.test(host);
}

function isAddressOf127(text: string): boolean {
  const bytes = text.split(".");
  return bytes.length === 4 && bytes[0] === "127" && bytes.every((byte) => /^\d{1,3}$/.test(byte) && Number(byte) <= 255);
}
