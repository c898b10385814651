/** Requests that are served at the same time. */
export interface Crowd {
  count: number;
  /** Milliseconds of this machine, when one was refused last in company of others. */
  refusedAtMs: number;
}

/** Requests in flight, from which on each of them counts as sent in company. */
const company = 4;

export function isInCompany({ count }: Crowd): boolean {
  return count >= company;
}

/** How long a request is held where requests that arrive together have to meet, real milliseconds. */
export const meetingMs = 12;

/** How long where refusals have to meet what is being served, over connections that are new. */
export const companyMs = 80;
