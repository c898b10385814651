const advice: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program uses this port: give another one, or 0 for any free port",
  EADDRNOTAVAIL: "this address is not one of this machine",
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  EROFS: "the file system can only be read",
  ENOENT: "there is no such file or folder",
  ENOTDIR: "a part of the path is a file",
  EISDIR: "it is a folder",
  ENOSPC: "the disk is full",
  EMFILE: "too many files are open: raise the limit, for example with ulimit -n 65536",
};

/**
 * What the operating system refused to do for an operator's port, file or folder, in words; null for any other error. A fault of
 * assay itself (exit code 4) is none of these.
 */
export function describeSystemRefusal(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, syscall, path, port, address } = error as NodeJS.ErrnoException & {
    readonly port?: number;
    readonly address?: string;
  };
  const why = advice[code ?? ""];
  if (why === undefined || syscall === undefined) return null;
  const where = path ?? (port === undefined ? null : `${address ?? "port"}:${port}`);
  return `${syscall}${where === null ? "" : ` ${where}`}: ${why} (${code ?? ""})`;
}
