import { billRelations } from "./bill-relations.ts";
import { chatRelations } from "./chat-relations.ts";
import { listRelations } from "./list-relations.ts";
import type { Relation } from "./relation.ts";
import { usageRelations } from "./usage-relations.ts";
import { vectorRelations } from "./vector-relations.ts";

/** Every relation that is judged over a record. The page docs/relations.md is this table. */
export const allRelations: readonly Relation[] = [
  ...usageRelations,
  ...billRelations,
  ...chatRelations,
  ...vectorRelations,
  ...listRelations,
];
