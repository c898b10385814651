import { headerSecretName } from "../core/exchange/headers/header-secret-name.ts";

/**
 * A command line as records may hold it: the value of `--header` and the credentials of `--proxy` are left out, however short they are. Of a
 * value that is a reference to the environment the reference stands.
 */
export function hideFlagValues(command: readonly string[]): readonly string[] {
  return command.map((word, index) => {
    const [, flag = "", value = ""] = /^(--(?:header|proxy))=([^]*)$/.exec(word) ?? [];
    if (flag !== "") return `${flag}=${hideValue(flag, value)}`;
    return hideValue(command[index - 1] ?? "", word);
  });
}

function hideValue(flag: string, value: string): string {
  if (flag === "--header") return hideHeader(value);
  return flag === "--proxy" ? value.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/i, "$1") : value;
}

function hideHeader(text: string): string {
  const at = text.indexOf(":");
  const name = text.slice(0, Math.max(at, 0)).trim();
  if (name === "") return "<header>";
  return /^\s*\$\{\w+\}\s*$/.test(text.slice(at + 1)) ? text : `${name}: <${headerSecretName(name)}>`;
}
