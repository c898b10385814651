/** A statement in the same words about some answers, under one requirement. */
export interface SaidOfAnswers {
  readonly kind: string;
  readonly subjects: ReadonlySet<unknown>;
}

/**
 * Each group with the one that it is reported under: the widest of its kind that covers all of its subjects, or itself. The same said
 * of the same answers under several requirements is one defect. The widest groups come first; of groups as wide the earlier.
 */
export function assignOwners<Group extends SaidOfAnswers>(
  groups: readonly Group[],
): readonly { readonly group: Group; readonly owner: Group }[] {
  const widest = groups.toSorted((one, other) => other.subjects.size - one.subjects.size);
  return widest.map((group, index) => {
    const covers = ({ kind, subjects }: Group): boolean =>
      kind === group.kind && [...group.subjects].every((subject) => subjects.has(subject));
    return { group, owner: widest.slice(0, index).find(covers) ?? group };
  });
}
