export interface ModelsFile {
  /** a model id for chat, or null: chosen from GET /v1/models */
  readonly chat?: string | null;
  /** a model id for embeddings, or null: chosen from GET /v1/models */
  readonly embedding?: string | null;
  /** a model id for transcriptions, or null: chosen from GET /v1/models */
  readonly transcription?: string | null;
}
