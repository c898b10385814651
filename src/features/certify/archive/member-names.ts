/** Names of the members of a bundle; those of a challenge are the names of its files in the run folder. */
export const memberNames = {
  envelope: "attestation.dsse.json",
  sigstore: "attestation.sigstore.json",
  challenge: "challenge.json",
  commitment: "commitment.dsse.json",
  evidence: "evidence.ndjson.gz",
  heads: "heads.ndjson",
  junit: "junit.xml.gz",
  ledger: "load.ndjson.gz",
  manifest: "manifest.json",
  report: "report.html.gz",
  result: "result.json.gz",
  record: "run.json",
} as const;
