// Which result a request has, for its row and for metrics.
import type { RequestResult } from './requests.ts';

interface RequestEnd {
  readonly status: number;
  /** Undefined or empty without an error, and for a caller that left. */
  readonly errorSource: string | undefined;
}

/** A refusal is a rule's; other errors of the gateway, and those of providers, are failures. */
export function requestResultOf({ status, errorSource }: RequestEnd): RequestResult {
  if (status < 400) return 'ok';
  return errorSource === 'gateway' && status < 500 ? 'refused' : 'failed';
}
