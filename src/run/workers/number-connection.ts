import type { Exchange } from "../../core/exchange/exchange.ts";

/** Every worker counts its connections from 1: millions distinguish them in the record. */
export function numberConnection(exchange: Exchange, worker: number): Exchange {
  const { connection } = exchange;
  return connection === null
    ? exchange
    : { ...exchange, connection: { ...connection, id: 1_000_000 * (worker + 1) + connection.id } };
}
