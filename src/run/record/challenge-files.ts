/** Names of the files that a run with a challenge writes beside its record. */
export const challengeFiles = {
  challenge: "challenge.json",
  commitment: "commitment.dsse.json",
  heads: "heads.ndjson",
} as const;
