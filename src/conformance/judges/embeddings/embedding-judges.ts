import type { Judge } from "../../judging/judge.ts";
import { embeddingAcceptance } from "./embedding-acceptance.ts";
import { embeddingCount } from "./embedding-count.ts";
import { embeddingDimensions } from "./embedding-dimensions.ts";
import { embeddingEncoding } from "./embedding-encoding.ts";
import { embeddingListBase64Shape, embeddingListFloatShape } from "./embedding-list-shape.ts";
import { embeddingRelations } from "./embedding-relations.ts";
import { embeddingUsage } from "./embedding-usage.ts";

export const embeddingJudges: readonly Judge[] = [
  embeddingAcceptance,
  embeddingListFloatShape,
  embeddingListBase64Shape,
  embeddingCount,
  embeddingEncoding,
  embeddingDimensions,
  embeddingUsage,
  embeddingRelations,
];
