import { percentDecoded } from "../core/percent-decoded.ts";
import type { Manifest } from "../core/manifest.ts";
import { headerSecretName } from "../core/exchange/headers/header-secret-name.ts";
import type { NamedSecret } from "../core/named-secret.ts";
import { chooseProxy, type ChosenProxy } from "./choose-proxy.ts";
import { ConfigError } from "./config-error.ts";
import { isFieldName, isFieldValue } from "./field-syntax.ts";
import { missingNames, replaceReferences } from "./resolve-references.ts";

/** Flags of the command line that describe the way to a target. */
export interface TargetFlags {
  /** `--header`, each as `name: value`; values may refer to the environment. */
  readonly headers?: readonly string[];
  /** `--insecure`: the certificate is not verified. */
  readonly insecure?: boolean;
  /** `--proxy`; false: `--no-proxy`. */
  readonly proxy?: string | false;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface FlaggedManifest {
  readonly manifest: Manifest;
  readonly notes: readonly string[];
}

/**
 * The manifest with the header fields, the trust and the proxy of the command line. No message holds a value: that of a header is
 * a secret, wherever it was written.
 */
export function applyTargetFlags(manifest: Manifest, flags: TargetFlags, env: Environment): FlaggedManifest {
  const { target } = manifest;
  const added = (flags.headers ?? []).map((text) => readHeader(text, env));
  const proxy = chooseProxy({ baseUrl: target.baseUrl, flag: flags.proxy, member: target.proxy, env });
  const secrets = [
    ...(manifest.secrets ?? []),
    ...added.map(({ name, value }) => ({ value, name: headerSecretName(name), isCredential: true })),
    ...(proxy === null ? [] : credentialsOf(proxy)),
  ];
  const isInsecure = flags.insecure === true || !target.tls.rejectUnauthorized;
  const notes = [
    ...(flags.insecure === true ? ["certificates are not verified (--insecure): anybody in between can read the keys"] : []),
    ...(proxy === null ? [] : [`requests go through the proxy ${new URL(proxy.url).origin} (${proxy.from})`]),
  ];
  const { proxy: _given, ...direct } = target;
  return {
    notes,
    manifest: {
      ...manifest,
      ...(secrets.length === 0 ? {} : { secrets }),
      target: {
        ...direct,
        ...(proxy === null ? {} : { proxy: proxy.url }),
        headers: withHeaders(target.headers, added),
        tls: { ...target.tls, rejectUnauthorized: !isInsecure },
      },
    },
  };
}

interface Header {
  readonly name: string;
  readonly value: string;
}

function readHeader(text: string, env: Environment): Header {
  const at = text.indexOf(":");
  const name = (at < 0 ? text : text.slice(0, at)).trim();
  // Without a colon all of it may be a value.
  if (at < 0 || !isFieldName(name))
    throw ConfigError.of("--header", "not a header field", "'name: value', such as 'x-tenant: ${TENANT}'");
  const member = `--header ${name}`;
  const written = text.slice(at + 1).trim();
  const missing = missingNames(written, env);
  if (missing.length > 0) throw ConfigError.of(member, `${missing.join(", ")} is not set`, "the variable in the environment");
  const value = replaceReferences(written, env);
  if (value === "") throw ConfigError.of(member, "the value is empty", "'name: value'");
  if (!isFieldValue(value))
    throw ConfigError.of(member, "the value holds characters that a header cannot contain", "printable ASCII");
  return { name, value };
}

/** Names of header fields are alike whatever their case: the flag replaces what the manifest says. */
function withHeaders(own: Manifest["target"]["headers"], added: readonly Header[]): Manifest["target"]["headers"] {
  const replaced = new Set(added.map(({ name }) => name.toLowerCase()));
  const kept = Object.entries(own).filter(([name]) => !replaced.has(name.toLowerCase()));
  return Object.fromEntries([...kept, ...added.map(({ name, value }) => [name, value] as const)]);
}

function credentialsOf({ url, from }: ChosenProxy): readonly NamedSecret[] {
  const problem = (message: string): ConfigError =>
    ConfigError.of(from, message, "an http or https URL such as http://proxy.example:3128; --no-proxy connects directly");
  if (!URL.canParse(url)) throw problem("not a valid URL of a proxy");
  const { protocol, hostname, username, password } = new URL(url);
  if (!/^https?:$/.test(protocol)) throw problem(`proxies of scheme ${protocol} are not supported`);
  if (hostname === "") throw problem("the proxy has no host name");
  const parts = [username, password].flatMap((part) => [part, percentDecoded(part)]).filter((part) => part !== "");
  // As the field Proxy-Authorization carries them, too.
  const basic =
    parts.length === 0 ? [] : [Buffer.from(`${percentDecoded(username)}:${percentDecoded(password)}`).toString("base64")];
  return [...new Set([...parts, ...basic])].map((value) => ({ value, name: "proxy-credential", isCredential: true }));
}
