/** Letters of the longest word of a generated prompt; budgets reserve so many bytes for each. */
export const longestWord = 11;
