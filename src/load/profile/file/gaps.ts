/** How gaps between sends are drawn where a rate is given. */
export type Gaps = "even" | "poisson";
