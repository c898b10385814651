/** Labels by which judges find what the cases of settings sent; those that end in a hyphen are continued with a number or a word. */
export const effectLabels = {
  /** What the account has spent, read before a change and once more after it. */
  spent: "spent",
  spentThen: "spent-then",
  /** A change that is accepted, before those that are refused. */
  twin: "twin",
  refused: "refused-",
  refusedType: "refused-type",
  after: "after-",
  again: "again-",
  readBack: "read-back",
  setBurst: "set-burst",
  setCooldown: "set-cooldown",
  exceed: "exceed-",
  otherKey: "other-key-",
} as const;
