export const blockBytes = 512;

/**
 * The one header (POSIX ustar) of a file of this name and size: fixed times, owner and mode, so that equal files give an equal archive.
 * Names are ASCII and shorter than 100 bytes, sizes below 8 GiB.
 */
export function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(blockBytes);
  header.write(name, 0, 100, "latin1");
  header.write("0000644\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

/** Zero bytes that fill up the last block of a file. */
export function paddingOf(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes;
}
