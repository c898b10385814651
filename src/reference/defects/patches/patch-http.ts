import type { HttpSeams } from "../../http/http-seams.ts";
import type { Switchboard } from "../switch.ts";
import { patchModelList } from "./patch-model-list.ts";

export function patchHttp(switches: Switchboard): HttpSeams {
  return {
    models: patchModelList(switches),
  };
}
