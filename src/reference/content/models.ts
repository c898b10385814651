export interface Model {
  readonly id: string;
  readonly kind: "chat" | "embedding" | "transcription" | "image";
  /** Unix seconds. */
  readonly created: number;
}

/** The models that GET /v1/models lists. */
export const models: readonly Model[] = [
  { id: "reference-chat", kind: "chat", created: 1_767_225_600 },
  { id: "reference-chat-small", kind: "chat", created: 1_769_904_000 },
  { id: "reference-embedding", kind: "embedding", created: 1_767_225_600 },
  { id: "reference-transcription", kind: "transcription", created: 1_767_225_600 },
  { id: "reference-image", kind: "image", created: 1_767_225_600 },
];

const byId: ReadonlyMap<string, Model> = new Map(models.map((model) => [model.id, model]));

export function findModel(id: string): Model | undefined {
  return byId.get(id);
}
