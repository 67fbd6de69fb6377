// The organization's own service, called over https: a documented contract in JSON, signed as Standard Webhooks. A
// response outside the contract is a failed check, and the guardrail's failure rule decides.
import type { Clock } from '../../../common/clock.ts';
import type { GuardedPost, GuardedResponse, KeptConnections } from '../../../common/guarded-request.ts';
import { isObject, parseJson } from '../../../common/json.ts';
import { uuidv7 } from '../../../common/uuid.ts';
import { signedHeaders } from '../../../common/webhook-signature.ts';
import type { WebhookCheck } from '../../../guardrails/definition.ts';
import { labelsIn, ServiceFailedError, type ServiceQuestion, type ServiceVerdict } from '../service.ts';
import type { Ask } from './limited-check.ts';

export interface WebhookDeps {
  /** Reads responses up to webhookResponseBytesMax. */
  readonly post: GuardedPost;
  readonly clock: Pick<Clock, 'now'>;
}

export const webhookResponseBytesMax = 2 * 1024 * 1024;
/** The idle time is shorter than most servers keep a connection open. */
export const webhookConnections: KeptConnections = { countMax: 8, idleMs: 4_000, ageMsMax: 60_000 };

/**
 * The contract, version 1. A response has status 200 and one of these bodies:
 * - `{"decision":"pass"}`: no match. The texts stay unchanged, whichever action the guardrail has.
 * - `{"decision":"found","labels":["…"]}`, or "block" instead of "found", with the same meaning: the guardrail's action
 *   decides. block: the caller is refused. observe: the match is counted. redact: the caller is refused too, because
 *   the response contains no replacement.
 * - `{"decision":"redact","texts":["…"]}`, with as many texts as were sent, in their order. redact: these replace the
 *   texts that were sent. block and observe act as for "found". It may have labels too.
 *
 * Labels name the matches, in the form `^[A-Z][A-Z0-9_]*$`. Other labels and fields that are not listed are ignored.
 */
export function createWebhookAsk({ url, secret }: WebhookCheck, { post, clock }: WebhookDeps): Ask {
  return async (question, signal) => {
    const body = questionBody(question);
    const owner = { organization: question.organization.id, key: question.guardrail.id };
    const headers = {
      // A retry over another connection has the same id.
      ...signedHeaders(secret.reveal(), { id: uuidv7(), at: clock.now(), body }),
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'model-gateway-guardrails',
    };
    return readVerdict(await post({ url, headers, body, owner }, signal), question.texts.length);
  };
}

function questionBody({ guardrail, stage, requestId, organization, model, texts }: ServiceQuestion): string {
  return JSON.stringify({
    version: 1,
    guardrail: { id: guardrail.id, name: guardrail.name },
    stage,
    request_id: requestId,
    organization_id: organization.id,
    model,
    texts,
  });
}

/** @throws ServiceFailedError */
function readVerdict({ status, body }: GuardedResponse, textCount: number): ServiceVerdict {
  if (status !== 200) throw new ServiceFailedError('refused');
  const response = parseJson(body.toString('utf8'));
  if (!isObject(response)) throw new ServiceFailedError('answer');
  const { decision, labels, texts } = response;
  switch (decision) {
    case 'pass':
      return { kind: 'pass' };
    case 'found':
    case 'block':
      return { kind: 'found', labels: labelsIn(labels) };
    case 'redact':
      if (!areTexts(texts) || texts.length !== textCount) throw new ServiceFailedError('answer');
      return { kind: 'found', labels: labelsIn(labels), texts };
    default:
      throw new ServiceFailedError('answer');
  }
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}
