import type { Service } from "../surface/service.ts";
import type { LiveSwitchboard } from "../switches/switchboard.ts";

export interface ControlPlaneOptions {
  readonly service: Service;
  readonly switchboard: LiveSwitchboard;
  readonly token: string;
  /** Told when faults or switches change what the transport itself does. */
  readonly onChange: () => void;
}
