import { type BrokerAddress, readBrokerAddress } from "../broker/read-broker-address.ts";
import { maskCredentialsOf } from "../../../command/mask-output.ts";
import { UsageError } from "../../../command/usage-error.ts";

/** The broker that the flags name. Throws a UsageError for an address that is none. */
export function readBroker(flags: { readonly redis: string; readonly redisPrefix?: string }): BrokerAddress {
  try {
    const broker = readBrokerAddress(flags.redis, process.env, flags.redisPrefix);
    maskCredentialsOf(broker.url, "broker");
    return broker;
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(`--redis: ${error.message}`) : error;
  }
}
