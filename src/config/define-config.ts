import type { KeyFile } from "../core/manifest-file/key-file.ts";
import type { ManifestFile } from "../core/manifest-file/manifest-file.ts";

/** A text with a reference to a variable, such as `${ASSAY_API_KEY}`, written in single or double quotes: assay puts the value in. */
type SecretReference = `${string}\${${string}}${string}`;

/**
 * The members of a manifest as `assay.config.ts` exports them. Secrets are references, as in YAML: assay then knows which values it has to
 * mask. The value of a variable (`process.env.KEY`) does not compile.
 */
export type AssayConfig = Omit<ManifestFile, "keys"> & {
  readonly keys?: Readonly<Record<string, SecretReference | KeyConfig>>;
};

type KeyConfig = Omit<KeyFile, "secret"> & { readonly secret: SecretReference };

/** Gives a configuration its type: `export default defineConfig({ ... })`. */
export function defineConfig(config: AssayConfig): AssayConfig {
  return config;
}
