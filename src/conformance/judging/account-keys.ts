/** Keys that belong to one account by their meaning in the manifest; any other key stands for itself. */
export const accountKeys: ReadonlySet<string | null> = new Set(["primary", "secondary"]);
