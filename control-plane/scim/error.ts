// Errors in the form of RFC 7644, section 3.12.
import { CallError, type CallReason, httpStatusOf } from '../rpc/errors.ts';

export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

export class ScimError extends CallError {
  readonly status: number;
  readonly scimType: ScimType | undefined;

  /** @param detail for the operator of the issuer; never a secret */
  constructor(status: 400 | 404 | 409 | 412 | 501, detail: string, scimType?: ScimType) {
    super(reasons[status], detail);
    this.status = status;
    this.scimType = scimType;
  }
}

const reasons = {
  400: 'invalid_request',
  404: 'not_found',
  409: 'name_taken',
  412: 'revision_mismatch',
  501: 'unknown_method',
} as const satisfies Record<number, CallReason>;

export function invalidValue(detail: string): ScimError {
  return new ScimError(400, detail, 'invalidValue');
}

/** The body of the response to any error. */
export function scimBody(error: CallError): { readonly status: number; readonly body: object } {
  const status = statusOf(error);
  const scimType = error instanceof ScimError ? error.scimType : undefined;
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:Error'];
  return { status, body: { schemas, status: String(status), ...(scimType && { scimType }), detail: error.message } };
}

function statusOf(error: CallError): number {
  if (error instanceof ScimError) return error.status;
  // The last owner stays: the state of the resource forbids it.
  return error.reason === 'last_owner' ? 409 : httpStatusOf(error.reason);
}
