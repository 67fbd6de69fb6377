// Errors of the JSON API as the page shows them: what happened, what to do, and the request id where there is one.

export interface Violation {
  readonly field: string;
  readonly description: string;
}

/** An error of a call. `status` is 0 if there was no response. */
export class Problem extends Error {
  readonly status: number;
  readonly reason: string;
  readonly violations: readonly Violation[];
  readonly requestId: string | undefined;

  constructor(
    message: string,
    {
      status,
      reason,
      violations = [],
      requestId,
    }: { status: number; reason: string; violations?: readonly Violation[]; requestId?: string | undefined },
  ) {
    super(message);
    this.name = 'Problem';
    this.status = status;
    this.reason = reason;
    this.violations = violations;
    this.requestId = requestId;
  }
}

/** Reads an error response, of the API or of `auth/`. Never rejects. */
export async function problemOf(response: Response): Promise<Problem> {
  const body = await response.json().catch(() => ({}));
  const detail = body?.details?.[0]?.debug ?? {};
  const reason = detail.reason ?? body?.error?.code;
  const message = body?.message ?? body?.error?.message;
  return new Problem(typeof message === 'string' ? message : `the control plane responded ${response.status}`, {
    status: response.status,
    reason: typeof reason === 'string' ? reason : '',
    violations: Array.isArray(detail.violations) ? detail.violations : [],
    requestId: detail.requestId ?? response.headers.get('x-request-id') ?? undefined,
  });
}

/** What the reader can do about it. */
export function adviceFor(error: unknown): string {
  if (!(error instanceof Problem)) return 'Reload the page. If it happens again, report it with what you did before.';
  switch (error.reason) {
    case 'unauthenticated':
      return 'Sign in again.';
    case 'permission_denied':
      return 'Your role does not allow this. An owner or admin of the organization can do it, or change your role.';
    case 'not_found':
      return 'It may have been deleted meanwhile. Reload the list.';
    case 'aborted':
    case 'revision_changed':
      return 'Somebody changed it meanwhile. Reload, look at the change, and try again.';
    case 'too_many_requests':
      return 'Wait a minute, then try again.';
    case 'reauthentication_required':
      return 'Try again, and sign in where the page wants it.';
  }
  if (error.status === 0) return 'Check the connection to the control plane, then try again.';
  if (error.status >= 500) return 'The control plane cannot do this at the moment. Try again; its log has the cause.';
  return error.violations.length > 0 ? 'Correct the fields that are named, then try again.' : '';
}
