import { redactManifest } from "../config/redact-manifest.ts";
import type { JudgeContext } from "../conformance/judging/judge.ts";
import type { ManifestFacts } from "../core/manifest.ts";
import { createValidator } from "../schemas/validator.ts";

/** The knowledge of judges beside exchanges: the manifest without its secrets, and the schemas. */
export function openJudgeContext(manifest: ManifestFacts): JudgeContext {
  const validator = createValidator();
  return { manifest: redactManifest(manifest), validate: (schema, value) => validator.validate(schema, value) };
}
