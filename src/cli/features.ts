import type { Feature } from "../command/feature.ts";
import { agents } from "../features/agents/feature.ts";
import { certify } from "../features/certify/feature.ts";
import { compare } from "../features/compare/feature.ts";
import { doctor } from "../features/doctor/feature.ts";
import { history } from "../features/history/feature.ts";
import { mcp } from "../features/mcp/feature.ts";
import { openApi } from "../features/openapi/feature.ts";

/** The capabilities that the command line offers. A feature leaves with its folder, its line here and its place in program.ts. */
export const features: Readonly<Record<"agents" | "certify" | "compare" | "doctor" | "history" | "mcp" | "openApi", Feature>> = {
  agents,
  certify,
  compare,
  doctor,
  history,
  mcp,
  openApi,
};
