/** Something that stands on a roster. */
export interface Rostered {
  /** Its position on the roster, -1 while it is on none; only the roster writes it. */
  rosterPlace: number;
}

/**
 * Things that come and go in great numbers. A Set leaves its old table behind whenever deletions filled it, and whatever stood
 * in that table stays in memory until the next full collection: half of all exchanges did. Here a leaver's place goes to the
 * last one.
 */
export interface Roster<T extends Rostered> {
  readonly members: readonly T[];
  add(member: T): void;
  /** Nothing happens when it is not on the roster. */
  remove(member: T): void;
}

export function createRoster<T extends Rostered>(): Roster<T> {
  const members: T[] = [];
  return {
    members,
    add(member) {
      if (member.rosterPlace >= 0) return;
      member.rosterPlace = members.length;
      members.push(member);
    },
    remove(member) {
      const place = member.rosterPlace;
      const last = place < 0 ? undefined : members.pop();
      if (last === undefined) return;
      member.rosterPlace = -1;
      if (last === member) return;
      members[place] = last;
      last.rosterPlace = place;
    },
  };
}
