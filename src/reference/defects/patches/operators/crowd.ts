/** Requests that are served at the same time. */
export interface Crowd {
  count: number;
}

/** How long a request is held where requests that arrive together have to meet, real milliseconds. */
export const meetingMs = 12;
