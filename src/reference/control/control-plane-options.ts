import type { FastifyInstance } from "fastify";
import type { Service } from "../http/service.ts";

export interface ControlPlaneOptions {
  readonly service: Service;
  readonly token: string;
  /** Called when faults change what the transport itself does. */
  readonly onChange: () => void;
  /** Further routes, behind the same token. */
  readonly extend?: (app: FastifyInstance) => void;
}
