import { variant } from "../switch-builders.ts";
import type { Variant } from "../switch.ts";

const answer = "What a PATCH answers is not shown (AMB-18).";

export const settingsSurfaceVariants: readonly Variant[] = [
  variant("settings/patch-204", "A PATCH is answered 204 without a body", answer, {
    changes: ["SVC-020", "KEY-020", "ACC-009"],
    excludes: ["settings/patch-200-empty", "settings/patch-200-ok"],
  }),
  variant("settings/patch-200-empty", "A PATCH is answered 200 without a body", answer, {
    changes: ["KEY-020", "ACC-009"],
    excludes: ["settings/patch-200-ok"],
  }),
  variant("settings/patch-200-ok", "A PATCH is answered with { ok: true }", answer, { changes: ["KEY-020", "ACC-009"] }),
  variant(
    "settings/other-json-400",
    "A change that is JSON but no object is answered 400",
    "It is well-formed and nothing is missing from it; wrong types are not named as failures (AMB-05).",
    { changes: ["KEY-028", "ACC-012", "ERR-023", "ERR-034"] },
  ),
];
