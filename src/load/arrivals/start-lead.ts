/** The pacer's thread needs a moment to start; nothing is due before it runs. */
export const startLeadMs = 200;
