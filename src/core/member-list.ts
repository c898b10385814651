/** Something that stands on a list. */
export interface Listed {
  /** Its position on the list, -1 while it is on none; only the list writes it. */
  listPlace: number;
}

/**
 * Members that come and go in great numbers. A Set leaves its old table behind whenever deletions filled it, and all that stood
 * in that table stays in memory until the next full collection: half of all exchanges did. Here the last member takes the place
 * of one that leaves.
 */
export interface MemberList<T extends Listed> {
  readonly members: readonly T[];
  add(member: T): void;
  /** Nothing happens when it is not on the list. */
  remove(member: T): void;
}

export function createMemberList<T extends Listed>(): MemberList<T> {
  const members: T[] = [];
  return {
    members,
    add(member) {
      if (member.listPlace >= 0) return;
      member.listPlace = members.length;
      members.push(member);
    },
    remove(member) {
      const place = member.listPlace;
      const last = place < 0 ? undefined : members.pop();
      if (last === undefined) return;
      member.listPlace = -1;
      if (last === member) return;
      members[place] = last;
      last.listPlace = place;
    },
  };
}
