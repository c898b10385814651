/** Below this chance what came back in between does not explain what was seen each time. */
export const decisiveChance = 1e-4;
