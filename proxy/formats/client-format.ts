// A wire format as clients use it: how the gateway's errors and its list of models look to a client of that format.
import type { CatalogModel, ModelPrices } from '../catalog/models.ts';
import type { FormatName } from './format.ts';

export interface ClientFormat {
  /** The response header in which the format's SDKs look for the request's id; the gateway's own is always there. */
  readonly requestIdHeader: string | undefined;
  /** The body of an error response, before a byte of another response was sent. */
  writeError(error: PublicError): object;
  readonly models: ModelsWriter;
}

/** The formats in which clients get lists of models. */
export type ClientFormatName = Extract<FormatName, 'chat_completions' | 'messages' | 'generate_content'>;

/** An error as the client may see it. Status, code and message are the same in every format. */
export interface PublicError {
  readonly status: number;
  readonly message: string;
  readonly param: string | undefined;
  readonly code: string | undefined;
  /** Further advice beside the message. */
  readonly hint?: string | undefined;
  readonly requestId?: string;
}

export interface ModelsWriter {
  /**
   * A page of the list.
   * @param query of the request: which page, in the format's own words
   * @throws GatewayError invalid_request
   */
  list(models: readonly ListedModel[], query: URLSearchParams): object;
  one(model: ListedModel): object;
}

/** A model that the client may call. */
export interface ListedModel {
  /** Canonical name, `<provider>/<primary id>`, or an alias of the organization. */
  readonly id: string;
  readonly facts: CatalogModel;
  /** What the organization pays now; undefined if no price is known. */
  readonly prices: ModelPrices | undefined;
}
