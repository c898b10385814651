import type { Command } from "commander";
import type { TargetFlags } from "../config/apply-target-flags.ts";
import { collect } from "./collect.ts";

/** The flags that say how a target is reached, as commander reads them. */
export interface ReachFlags {
  readonly header?: readonly string[];
  readonly insecure?: boolean;
  /** false: `--no-proxy`. */
  readonly proxy?: string | false;
}

/** Adds `--header`, `--insecure`, `--proxy` and `--no-proxy`. Values are read later: commander would repeat a wrong one. */
export function addReachFlags(command: Command): Command {
  return command
    .option("--header <name: value>", "header field of every request, repeatable; ${NAME} is read from the environment", collect)
    .option("--insecure", "accept a certificate that nobody vouches for")
    .option("--proxy <url>", "HTTP proxy to the target (default: HTTPS_PROXY, HTTP_PROXY and NO_PROXY); not for load")
    .option("--no-proxy", "connect directly, whatever the environment says");
}

export function reachOf({ header, insecure, proxy }: ReachFlags): TargetFlags {
  return {
    ...(header === undefined ? {} : { headers: header }),
    ...(insecure === undefined ? {} : { insecure }),
    ...(proxy === undefined ? {} : { proxy }),
  };
}
