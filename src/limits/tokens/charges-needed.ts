/** Charges of chat that a pass rests on: one alone may fit by chance. */
export const chargesNeeded = 2;
