import { parse as parseYaml } from "yaml";
import { readPolicy, type Policy } from "../certificate/verify/policy.ts";
import { findYamlExcess } from "../core/yaml-excess.ts";
import { readText } from "./read-key.ts";
import { UsageError } from "./usage-error.ts";

/** The policy in a file, YAML or JSON. Throws a UsageError or a CertificateError that says what is wrong with it. */
export function openPolicy(file: string): Policy {
  const text = readText(file);
  const excess = findYamlExcess(text);
  if (excess !== null) throw new UsageError(`${file} is no policy: ${excess}`);
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (error) {
    throw new UsageError(`${file} is neither YAML nor JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  return readPolicy(value);
}
