import type { Prices } from "../../core/manifest.ts";
import { leastPriceCents } from "./least-price-cents.ts";

/** Pictures of one request at most: more are refused by services that bound `n`. */
const mostPictures = 10;

/** Caps are whole cents: a purchase asks for as many pictures as cost enough, where one by itself costs too little. */
export function picturesOfPurchase({ perImage }: Prices): number {
  const wanted = Math.ceil(leastPriceCents / (100 * perImage) - 1e-3);
  return Number.isFinite(wanted) ? Math.min(mostPictures, Math.max(1, wanted)) : 1;
}
