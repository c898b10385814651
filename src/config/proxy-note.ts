type Environment = Readonly<Record<string, string | undefined>>;

/** Says that a proxy of the environment is not used for this target; null where none is set or the target needs none. */
export function proxyNote(baseUrl: string, env: Environment): string | null {
  if (!URL.canParse(baseUrl)) return null;
  const { protocol, hostname } = new URL(baseUrl);
  const names = protocol === "https:" ? ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"] : ["HTTP_PROXY", "http_proxy", "ALL_PROXY"];
  const name = names.find((each) => (env[each] ?? "") !== "");
  if (name === undefined || isLoopback(hostname) || isExempt(hostname, env["NO_PROXY"] ?? env["no_proxy"] ?? "")) return null;
  return `${name} is set, and assay does not use proxies: it connects to ${hostname} directly`;
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}

/** `NO_PROXY`: `*`, or names of hosts and domains, separated by commas. */
function isExempt(hostname: string, list: string): boolean {
  return list
    .split(",")
    .map((entry) => entry.trim().replace(/^\*?\./, ""))
    .some((entry) => entry === "*" || (entry !== "" && (hostname === entry || hostname.endsWith(`.${entry}`))));
}
