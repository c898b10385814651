import type { Judge } from "../../judging/judge.ts";
import { imageAcceptance } from "./image-acceptance.ts";
import { imageFetch } from "./image-fetch.ts";
import { imageNeedsNoModel } from "./image-needs-no-model.ts";
import { imageResult } from "./image-result.ts";
import { imageShape } from "./image-shape.ts";

export const imageJudges: readonly Judge[] = [imageAcceptance, imageNeedsNoModel, imageShape, imageResult, imageFetch];
