import type { ManifestFacts } from "../../core/manifest.ts";

/** Whether the manifest holds a member that a check needs. Money that may be spent can be too little, so that it is always named. */
export function isSupplied(member: string, manifest: ManifestFacts): boolean {
  const [group = "", name = "", part = ""] = member.split(".");
  switch (group) {
    case "keys":
      return part === "id" ? manifest.keys[name]?.id !== undefined : manifest.keys[name] !== undefined;
    case "models":
      return (manifest.models as Readonly<Record<string, unknown>>)[name] != null;
    case "permissions":
      return (manifest.permissions as unknown as Readonly<Record<string, unknown>>)[name] === true;
    case "restore":
      return name === "keys" ? manifest.restore.keys[part] !== undefined : manifest.restore.account != null;
    case "exclusive":
      return manifest.exclusive;
    default:
      return false;
  }
}
