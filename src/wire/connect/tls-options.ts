import type { ConnectionOptions } from "node:tls";

/** How a target may prove that it is the host that is meant. */
export interface TlsTrust {
  readonly rejectUnauthorized: boolean;
  readonly ca: string | null;
}

/** Options of a TLS connection to a host, over whatever carries it. */
export function tlsOptions(host: string, { rejectUnauthorized, ca }: TlsTrust): ConnectionOptions {
  return {
    host,
    ALPNProtocols: ["http/1.1"],
    rejectUnauthorized,
    ...(ca === null ? {} : { ca }),
    // Server Name Indication takes host names only (RFC 6066 section 3).
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
  };
}
