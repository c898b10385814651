import { type Dimension, memberLevel, notations, usualLevel } from "./dimension.ts";

/** The options of an image request: few, because images cost money. */
export const imageOptions: readonly Dimension[] = [
  { levels: [usualLevel, ...["1792x1024", "1024x1792"].map((size) => memberLevel(size, { size }))] },
  { levels: [usualLevel, memberLevel("n-2", { n: 2 })] },
  { levels: [usualLevel, memberLevel("hd", { quality: "hd" })] },
  { levels: [usualLevel, ...notations.levels.slice(1, 3)] },
];
