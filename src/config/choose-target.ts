import type { ManifestFile } from "../core/manifest-file/manifest-file.ts";
import { replaceReferences } from "./resolve-references.ts";

interface ChooseOptions {
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `--base-url`; null: the manifest's own. */
  readonly baseUrl: string | null;
}

/** Keys are references in a file, and values in code. */
type DocumentWith<Keys> = Omit<ManifestFile, "keys"> & { readonly keys?: Keys };

/**
 * The document for the target that is asked for. Keys, permissions, headers and everything else that describes a target belong to
 * the base URL of the manifest: another one must never be sent these keys. It gets the key in ASSAY_API_KEY, no permissions, and
 * only what bounds a run: budget, prices and the time-out.
 */
export function chooseTarget<Keys>(
  document: DocumentWith<Keys>,
  { file, env, baseUrl }: ChooseOptions,
): { readonly document: DocumentWith<Keys>; readonly notes: readonly string[] } {
  if (baseUrl === null) return { document, notes: [] };
  const own = replaceReferences(document.target.baseUrl, env);
  if (addressOf(own) === addressOf(baseUrl))
    return { document: { ...document, target: { ...document.target, baseUrl } }, notes: [] };
  const { budget, prices, target } = document;
  return {
    document: {
      target: { baseUrl, ...(target.timeoutMs === undefined ? {} : { timeoutMs: target.timeoutMs }) },
      ...(budget === undefined ? {} : { budget }),
      ...(prices === undefined ? {} : { prices }),
    },
    notes: [
      `${file} describes another target: of it only budget, prices and timeoutMs are used; its keys are not sent, and nothing is permitted`,
    ],
  };
}

/** Scheme, host, port and path without a slash at the end; what is no URL stands for itself. */
function addressOf(text: string): string {
  if (!URL.canParse(text)) return text;
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname.replace(/\/+$/, "")}`;
}
