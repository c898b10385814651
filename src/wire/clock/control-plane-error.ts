/** Nothing at `control.url` answers as a control plane does; the message says so and what to do. */
export class ControlPlaneError extends Error {
  override readonly name = "ControlPlaneError";
}
