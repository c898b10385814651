export interface TranscriptionInput {
  readonly model: string;
  readonly bytes: Buffer;
  readonly seconds: number;
}

export type TranscriptAnswer = { readonly json: unknown } | { readonly text: string; readonly contentType: string };

/** The rules for recordings: which bodies count as one, and how its text is answered. */
export interface TranscriptRules {
  /** Whether the boundary of the form is read from this media type. */
  readonly findsBoundary: (contentType: string) => boolean;
  /** The reading of a body that is no form; null: it is refused. */
  readonly withoutForm: () => TranscriptionInput | null;
  /** Whether the media type of the part of a recording is taken. */
  readonly acceptsMediaType: (mediaType: string) => boolean;
  readonly acceptsUndecodable: () => boolean;
  /** The recording that is transcribed, of the one that came under this name. */
  readonly recording: (name: string, bytes: Buffer) => Promise<Buffer>;
  readonly answer: (text: string) => TranscriptAnswer;
}

export const lawfulTranscriptRules: TranscriptRules = {
  findsBoundary: () => true,
  withoutForm: () => null,
  acceptsMediaType: () => true,
  acceptsUndecodable: () => false,
  recording: async (_name, bytes) => Promise.resolve(bytes),
  answer: (text) => ({ json: { text } }),
};
