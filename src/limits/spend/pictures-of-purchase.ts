import type { Prices } from "../../core/manifest.ts";
import { leastTogetherCents } from "./purchases-together.ts";

/** Pictures of one request at most: more are refused by services that bound `n`. */
const mostPictures = 10;

/** Caps are whole cents: a purchase asks for as many pictures as cost enough, where one by itself costs too little. */
export function picturesOfPurchase({ perImage }: Prices): number {
  const wanted = Math.ceil(leastTogetherCents / (100 * perImage) - 1e-3);
  return Number.isFinite(wanted) ? Math.min(mostPictures, Math.max(1, wanted)) : 1;
}

/** A service may bound `n` at any number: the next power of two below one that it refused; null: there is none. */
export function fewerPictures(pictures: number): number | null {
  return pictures <= 1 ? null : 2 ** (Math.ceil(Math.log2(pictures)) - 1);
}
