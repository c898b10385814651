/** The broker at which the agents of a run meet, and the names of its keys there. */
export interface BrokerAddress {
  /** `redis://` or `rediss://`; without a password where the environment holds it. */
  readonly url: string;
  readonly prefix: string;
}

const defaultPrefix = "assay";

/**
 * The address as typed, with ASSAY_REDIS_USERNAME and ASSAY_REDIS_PASSWORD of the environment: what stands on a command line can
 * be seen by every user of a machine. Throws a RangeError that says what is wrong.
 */
export function readBrokerAddress(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  prefix: string = defaultPrefix,
): BrokerAddress {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new RangeError("expected redis://host:port or rediss://host:port");
  }
  if (url.protocol !== "redis:" && url.protocol !== "rediss:") {
    throw new RangeError(`expected redis:// or rediss://, not ${url.protocol}//`);
  }
  if (url.hostname === "") throw new RangeError("the address names no host");
  if (!/^[\w.-]{1,64}$/.test(prefix)) throw new RangeError("a key prefix has 1 to 64 letters, digits, dots, dashes, underscores");
  const username = env["ASSAY_REDIS_USERNAME"];
  const password = env["ASSAY_REDIS_PASSWORD"];
  if (username !== undefined) url.username = encodeURIComponent(username);
  if (password !== undefined) url.password = encodeURIComponent(password);
  return { url: url.href, prefix };
}

/** The address without what stands for credentials in it. */
export function showBroker(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}
