// Refusals in the vendor's envelope, texts and codes, as its users have quoted them.

export interface VendorError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

export class Refusal extends Error {
  readonly status: number;
  readonly error: VendorError;

  constructor(status: number, error: Partial<VendorError> & { readonly message: string }) {
    super(error.message);
    this.name = 'Refusal';
    this.status = status;
    this.error = {
      message: error.message,
      type: error.type ?? 'invalid_request_error',
      param: error.param ?? null,
      code: error.code ?? null,
    };
  }
}

/** A 400 about one field. */
export function badField(param: string, message: string, code: string | null = null): Refusal {
  return new Refusal(400, { message, param, code });
}

/** The vendor's usual error of a status, for scripted errors. */
export function usualError(status: number): VendorError {
  const row = usual[status] ?? (status >= 500 ? usual[500] : undefined);
  return {
    message: 'The request was refused.',
    type: 'invalid_request_error',
    code: null,
    ...row,
    param: null,
  };
}

const usual: Readonly<Record<number, Partial<VendorError>>> = {
  401: {
    message: 'Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys.',
    code: 'invalid_api_key',
  },
  403: {
    message: 'Country, region, or territory not supported',
    type: 'request_forbidden',
    code: 'unsupported_country_region_territory',
  },
  404: {
    message: 'The model `simulated` does not exist or you do not have access to it.',
    code: 'model_not_found',
  },
  429: {
    message:
      'Rate limit reached for requests in organization org-simulated on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.',
    type: 'requests',
    code: 'rate_limit_exceeded',
  },
  500: {
    message: 'The server had an error while processing your request. Sorry about that!',
    type: 'server_error',
  },
  503: {
    message: 'The engine is currently overloaded, please try again later',
    type: 'service_unavailable_error',
    code: 'server_is_overloaded',
  },
};
