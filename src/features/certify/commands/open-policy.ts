import { UsageError } from "../../../command/usage-error.ts";
import { parseYaml } from "../../../schemas/parse-yaml.ts";
import { readPolicy, type Policy } from "../verify/policy.ts";
import { readText } from "../keys/read-key.ts";

/** The policy in a file, YAML or JSON. Throws a UsageError or a BundleError that says what is wrong with it. */
export function openPolicy(file: string): Policy {
  const parsed = parseYaml(readText(file));
  if (parsed.kind === "excess") throw new UsageError(`${file} is no policy: ${parsed.message}`);
  if (parsed.kind === "mistake") throw new UsageError(`${file}:${parsed.line} is neither YAML nor JSON: ${parsed.message}`);
  return readPolicy(parsed.value);
}
