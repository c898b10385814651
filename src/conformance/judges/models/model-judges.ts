import type { Judge } from "../../judging/judge.ts";
import { modelAcceptance } from "./model-acceptance.ts";
import { modelListShape } from "./model-list-shape.ts";
import { modelList } from "./model-list.ts";
import { modelsAreListed } from "./models-are-listed.ts";

export const modelJudges: readonly Judge[] = [modelAcceptance, modelListShape, modelList, modelsAreListed];
