import { onTestFinished } from "vitest";

/** Closed when the running test is over, the latest first. */
export function keep<T extends { close(): unknown }>(resource: T): T {
  onTestFinished(async () => void (await resource.close()));
  return resource;
}
