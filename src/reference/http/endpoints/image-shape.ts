export interface Picture {
  readonly url: string;
  readonly revised_prompt: string;
}

export interface ImageFile {
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** The body of POST /v1/images/generations, and the files that it names. */
export interface ImageShape {
  readonly count: (asked: number | undefined) => number;
  readonly size: (asked: string | undefined) => string;
  /** Size of the file for the picture of this size at this place in the result. */
  readonly fileSize: (size: string, place: number) => string;
  readonly picture: (picture: Picture) => unknown;
  readonly result: (result: { readonly created: number; readonly data: readonly unknown[] }) => unknown;
  /** Whether everybody who has the address gets the file. */
  readonly isPublic: () => boolean;
  /** Whether an address leads to another one, where the file is. */
  readonly isMoved: () => boolean;
  readonly file: (file: ImageFile) => ImageFile;
}

export const defaultImageSize = "1024x1024";

export const lawfulImageShape: ImageShape = {
  count: (asked = 1) => asked,
  size: (asked = defaultImageSize) => asked,
  fileSize: (size) => size,
  picture: (picture) => picture,
  result: (result) => result,
  isPublic: () => true,
  isMoved: () => false,
  file: (file) => file,
};
