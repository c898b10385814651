import type { TransportFailure } from "./exchange.ts";

/** The words for a port that answers in clear text, where TLS was asked for. */
export const noTls = "the port does not speak TLS";

/** The advice where no secure connection came about: a server that shows a certificate speaks TLS. */
export function explainTls({ message }: Pick<TransportFailure, "message">): string {
  return message.includes(noTls)
    ? "is it http rather than https?"
    : "target.tls.caFile names the authority of a certificate, --insecure accepts any";
}
