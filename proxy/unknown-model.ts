// Messages to callers about unknown models, with similar names that they may call. All of these messages are here.
import { catalogInForce } from '../catalog/in-force.ts';
import { withoutKeyForms } from '../common/key-forms.ts';
import type { ChatCall } from './call.ts';
import { GatewayError } from './errors.ts';
import { modelNotKnown, ProviderFailure } from './upstream/provider-failure.ts';

/** @param requested `<provider>/<model>` */
export function modelNotFound(requested: string, near: readonly string[]): GatewayError {
  // Callers put other values into this field by mistake: text that looks like a key is not repeated.
  const message = `no such model: ${withoutKeyForms(requested)}; ${nearestWords(near)}`;
  return new GatewayError('model_not_found', { param: 'model', message });
}

/** The error when a budget applies and the call has no price. @param limitId of the budget */
export function modelNotPriced({ qualifiedModel, unknownModel }: ChatCall, limitId: string | undefined): GatewayError {
  const near = unknownModel?.nearest() ?? [];
  if (unknownModel?.isSlip === true) {
    const { message } = modelNotFound(qualifiedModel, near);
    const hint = `if it is newer than the catalog of ${catalogInForce().asOf}: a budget applies, so it needs a price, which an owner or admin can set`;
    return new GatewayError('model_not_found', { param: 'model', message, hint });
  }
  return new GatewayError('model_not_priced', {
    param: 'model',
    message: `a budget applies and ${withoutKeyForms(qualifiedModel)} has no price; ask an operator to set one`,
    hint: didYouMean(near),
    limitId,
  });
}

/** If the provider does not know the model either, its own message stays, and the gateway adds the similar names. */
export function withNearest(error: unknown, { unknownModel }: ChatCall): unknown {
  if (unknownModel === undefined || !(error instanceof ProviderFailure) || error.status !== 404) return error;
  const { status, param = 'model', retryable, retryAfter, headers, reason } = error;
  const near = unknownModel.nearest();
  // Only a message of the gateway's own may be longer.
  const isListed = near.length > 0 && error.message === modelNotKnown;
  const message = isListed ? `${modelNotKnown}; ${nearestWords(near)}` : error.message;
  const listed = { status, message, param, code: 'model_not_found', retryable, retryAfter };
  return new ProviderFailure(listed, { retryAfter, headers, reason, hint: didYouMean(near) });
}

/** The message about similar names. */
export function nearestWords(near: readonly string[]): string {
  return near.length === 0
    ? 'GET /v1/models lists what this key may call'
    : `the nearest that this key may call: ${near.join(', ')}`;
}

export function didYouMean(near: readonly string[]): string | undefined {
  if (near.length === 0) return undefined;
  const names = [near.slice(0, -1).join(', '), near.at(-1)].filter(Boolean);
  return `did you mean ${names.join(' or ')}?`;
}
