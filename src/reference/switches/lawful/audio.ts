import { variant } from "../switch-builders.ts";
import type { Variant } from "../switch.ts";

export const audioVariants: readonly Variant[] = [
  variant("audio/json-accepted", "A JSON body is accepted too", "Only a SHOULD forbids it.", { changes: ["AUD-002"] }),
  variant("audio/corrupt-accepted", "Broken audio is transcribed", "Only a SHOULD asks for a 4xx.", {
    changes: ["AUD-012", "AUD-013", "AUD-020"],
  }),
  variant("audio/any-file-name", "The file may be called anything", "How the format is found is not stated (AMB-33).", {
    changes: ["AUD-012", "AUD-013"],
  }),
];
