import type { LoadProfile } from "./load-profile.ts";

/** Whether anything of the workload reports tokens. */
export function readsUsage({ workload }: Pick<LoadProfile, "workload">): boolean {
  return workload.some(({ endpoint }) => endpoint === "chat" || endpoint === "embeddings");
}
