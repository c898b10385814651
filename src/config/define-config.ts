import type { ManifestDocument } from "./complete-manifest.ts";

/** A text with a reference to a variable, such as `${ASSAY_API_KEY}`, written in single or double quotes: assay puts the value in. */
type SecretReference = `${string}\${${string}}${string}`;

/**
 * The members of a manifest as `assay.config.ts` exports them. Secrets are references, as in YAML: assay then knows which values it has to
 * mask. The value of a variable (`process.env.KEY`) does not compile.
 */
export type AssayConfig = Omit<ManifestDocument, "keys"> & {
  readonly keys?: Readonly<Record<string, SecretReference | KeyConfig>>;
};

interface KeyConfig {
  readonly secret: SecretReference;
  readonly id?: string | null;
  readonly createdAt?: string | null;
  readonly allowShort?: boolean;
}

/** Gives a configuration its type: `export default defineConfig({ ... })`. */
export function defineConfig(config: AssayConfig): AssayConfig {
  return config;
}
