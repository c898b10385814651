import { keyVariable } from "../../core/key-variable.ts";

/** YAML for a manifest that supplies all these members (`keys.readOnly`, `permissions.fetchImages` ...); null without any. */
export function supplyYaml(members: readonly string[]): string | null {
  const names = (group: string): readonly string[] => [
    ...new Set(members.filter((member) => member.startsWith(`${group}.`)).map((member) => member.split(".")[1] ?? "")),
  ];
  const block = (head: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [head, ...lines.map((line) => `  ${line}`)];
  const lines = [
    ...block(
      "keys:",
      names("keys").map((name) => {
        const reference = `\${${keyVariable(name)}}`;
        return members.includes(`keys.${name}.id`)
          ? `${name}: { secret: "${reference}", id: key_id_of_it }`
          : `${name}: ${reference}`;
      }),
    ),
    ...block(
      "models:",
      names("models").map((name) => `${name}: id-of-a-model`),
    ),
    ...block(
      "permissions:",
      names("permissions").map((name) => `${name}: ${name === "spendUpToCents" ? "500" : "true"}`),
    ),
    ...block("restore:", restoreLines(members)),
    ...block(
      "faults:",
      names("faults").map((status) => `"${status}": { headers: { name-of-a-header: value } }`),
    ),
    ...(members.includes("foreignKeyId") ? ["foreignKeyId: key_id_of_another_workspace"] : []),
    ...(members.includes("exclusive") ? ["exclusive: true"] : []),
    ...(members.includes("target.plan") ? ["# target.plan: starter or pro"] : []),
  ];
  return lines.length === 0 ? null : `${lines.join("\n")}\n`;
}

function restoreLines(members: readonly string[]): readonly string[] {
  const keys = members.filter((member) => member.startsWith("restore.keys.")).map((member) => member.split(".")[2] ?? "");
  return [
    ...(keys.length === 0 ? [] : ["keys:"]),
    ...keys.map((name) => `  ${name}: { burst_limit: null, cooldown_seconds: null, monthly_spend_cap: null }`),
    ...(members.includes("restore.account") ? ["account: { account_spend_cap: null }"] : []),
  ];
}
