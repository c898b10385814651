/** Takes lines of a ledger as JSON, one object each. */
export type LedgerSink = (json: string) => void;
