import { isLoopback } from "../core/is-loopback.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface ChosenProxy {
  /** With its user and password, where it has them. */
  readonly url: string;
  /** The flag, the member or the variable that names it. */
  readonly from: string;
}

interface ProxyChoice {
  readonly baseUrl: string;
  /** `--proxy`; false: `--no-proxy`; absent: neither. */
  readonly flag?: string | false | undefined;
  /** `target.proxy`; null: none is used. */
  readonly member?: string | null | undefined;
  readonly env: Environment;
}

/**
 * The proxy that leads to a target; null for none. A flag outranks the manifest, and the manifest the environment, whose variables are
 * read as undici's EnvHttpProxyAgent reads them, but for a target on this machine, which needs none.
 */
export function chooseProxy({ baseUrl, flag, member, env }: ProxyChoice): ChosenProxy | null {
  if (flag !== undefined) return flag === false ? null : { url: withScheme(flag), from: "--proxy" };
  if (member !== undefined) return member === null ? null : { url: withScheme(member), from: "target.proxy" };
  if (!URL.canParse(baseUrl)) return null;
  const { protocol, hostname, port } = new URL(baseUrl);
  if (isLoopback(hostname)) return null;
  const isSecure = protocol === "https:";
  const names = isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy", "HTTP_PROXY"];
  const name = [...names, "all_proxy", "ALL_PROXY"].find((each) => (env[each] ?? "") !== "");
  const exempt = env["no_proxy"] ?? env["NO_PROXY"] ?? "";
  if (name === undefined || isExempt(hostname, Number(port) || (isSecure ? 443 : 80), exempt)) return null;
  return { url: withScheme(env[name] ?? ""), from: name };
}

/** A proxy is often written as `host:port`. */
function withScheme(text: string): string {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
}

/** `NO_PROXY`: `*`, or names of hosts and domains, each with a port or without, separated by commas or blanks. */
function isExempt(hostname: string, port: number, list: string): boolean {
  return list.split(/[,\s]+/).some((entry) => {
    if (entry === "*") return true;
    const [, name = "", only = ""] = /^(.+?)(?::(\d+))?$/.exec(entry) ?? [];
    const host = name.replace(/^\*?\./, "").toLowerCase();
    if (host === "" || (only !== "" && Number(only) !== port)) return false;
    return hostname === host || hostname.endsWith(`.${host}`);
  });
}
