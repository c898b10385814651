/**
 * @asType integer
 * @minimum 1
 */
export type PositiveInteger = number;
