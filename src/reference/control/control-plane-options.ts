import type { Service } from "../http/service.ts";
import type { LiveSwitchboard } from "../defects/switchboard.ts";

export interface ControlPlaneOptions {
  readonly service: Service;
  readonly switchboard: LiveSwitchboard;
  readonly token: string;
  /** Called when faults or switches change what the transport itself does. */
  readonly onChange: () => void;
}
