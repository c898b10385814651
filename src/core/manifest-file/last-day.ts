/**
 * a date such as 2027-01-31, the last day on which the entry counts, or null: no end
 * @format date
 */
export type LastDay = string | null;
