import { BlockList, isIP } from "node:net";
import { TransportError } from "./transport-error.ts";

/** An http or https URL without user information; throws a TransportError otherwise. */
export function parseHttpUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new TransportError("other", "the address is not a URL");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TransportError("other", `addresses of scheme ${url.protocol} are not requested: only http and https`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new TransportError("other", "the address holds a user name or password: keys belong into the manifest");
  }
  return url;
}

/** Whether an address is this machine, link-local or of a private network (RFC 1918, 4193, 6598, 3927). */
export function isPrivateAddress(address: string): boolean {
  return isIP(address) !== 0 && (listed(loopback, address) || listed(privateNetworks, address));
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

const privateNetworks = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const) {
  privateNetworks.addSubnet(network, prefix, "ipv4");
}
privateNetworks.addSubnet("fc00::", 7, "ipv6");
privateNetworks.addSubnet("fe80::", 10, "ipv6");
privateNetworks.addAddress("::", "ipv6");

function listed(list: BlockList, address: string): boolean {
  // Addresses of IPv4 that are written in IPv6 are judged as what they are.
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return list.check(mapped, "ipv4");
  return list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}
