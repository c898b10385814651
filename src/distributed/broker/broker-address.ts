/** Where the agents of a run meet, and how its keys are named there. */
export interface BrokerAddress {
  /** `redis://` or `rediss://`; without a password where the environment holds it. */
  readonly url: string;
  readonly prefix: string;
}

export const defaultPrefix: string = "assay";
