/** A model as it is listed. */
export interface ListedModel {
  readonly id: string;
  readonly object: "model";
  readonly created: number;
  readonly owned_by: string;
}

/** The body of GET /v1/models: each entry, then the list of them; and the name under which a model answers. */
export interface ModelListShape {
  readonly entry: (model: ListedModel) => unknown;
  readonly list: (entries: readonly unknown[], models: readonly ListedModel[]) => unknown;
  /** A service may resolve an alias to a dated name (reading AMB-42). */
  readonly answeredAs: (requested: string) => string;
}

export const lawfulModelListShape: ModelListShape = {
  entry: (model) => model,
  list: (data) => ({ object: "list", data }),
  answeredAs: (requested) => requested,
};
