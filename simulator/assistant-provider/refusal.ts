// Refusals in the vendor's envelope, types and texts, as its users have quoted them (ErrorResponse of its SDK).

export interface VendorError {
  readonly type: string;
  readonly message: string;
  readonly details?: { readonly error_code: string };
}

export class Refusal extends Error {
  readonly status: number;
  readonly error: VendorError;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.error = { type: typeOf(status), message };
  }
}

export function badRequest(message: string): Refusal {
  return new Refusal(400, message);
}

/** The vendor's usual error of a status. A test may script its `type`, `message` and `error_code`. */
export function scriptedError(status: number, parts: Readonly<Record<string, string | null>> = {}): VendorError {
  const { error_code, ...others } = parts;
  return {
    type: typeOf(status),
    message: usualMessages[status] ?? 'The request was refused.',
    ...others,
    ...(typeof error_code === 'string' && { details: { error_code } }),
  };
}

function typeOf(status: number): string {
  return types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

const usualMessages: Readonly<Record<number, string>> = {
  401: 'invalid x-api-key',
  402: 'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
  403: 'Your API key does not have permission to use the specified resource.',
  404: 'model: simulated',
  409: 'The request conflicts with the current state of the resource.',
  413: 'Request exceeds the maximum size',
  429: "This request would exceed your organization's rate limit of 50 requests per minute.",
  500: 'Internal server error',
  504: 'Request timed out',
  529: 'Overloaded',
};
