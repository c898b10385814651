import type { Variant } from "../../src/reference/switches/switch.ts";
import { testRandom } from "./runner/sample.ts";

/** Pairs that contradict each other are no service that could exist. */
function excludeEachOther(one: Variant, other: Variant): boolean {
  return one.id === other.id || (one.excludes ?? []).includes(other.id) || (other.excludes ?? []).includes(one.id);
}

/**
 * Every variant once, in as few services as can exist, of much the same size: what excludes most others is placed first. `begun`: services
 * that hold some variants already.
 */
export function packVariants(
  variants: readonly Variant[],
  begun: readonly (readonly Variant[])[] = [],
): readonly (readonly Variant[])[] {
  const services = begun.map((service) => [...service]);
  const placed = new Set(begun.flat());
  const random = testRandom("lawful services");
  const ordered = variants
    .filter((variant) => !placed.has(variant))
    .map((variant) => ({
      variant,
      clashes: variants.filter((one) => excludeEachOther(one, variant)).length,
      rank: random.next(),
    }))
    .sort((one, other) => other.clashes - one.clashes || one.rank - other.rank);
  for (const { variant } of ordered) {
    const [place] = services
      .filter((service) => !service.some((one) => excludeEachOther(one, variant)))
      .sort((one, other) => one.length - other.length);
    if (place === undefined) services.push([variant]);
    else place.push(variant);
  }
  return services;
}
