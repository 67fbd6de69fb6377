// A service of the organization's own that is asked over https: a documented contract in JSON, signed as Standard Webhooks.
// Whatever is not an answer of the contract is a failed check, which the guardrail's failure rule decides.
import type { Clock } from '../../../common/clock.ts';
import type { GuardedPost, GuardedResponse, KeptConnections } from '../../../common/guarded-request.ts';
import { isObject, parseJson } from '../../../common/json.ts';
import { uuidv7 } from '../../../common/uuid.ts';
import { signedHeaders } from '../../../common/webhook-signature.ts';
import type { WebhookCheck } from '../../../guardrails/definition.ts';
import { labelsIn, ServiceFailedError, type ServiceQuestion, type ServiceVerdict } from '../service.ts';
import type { Ask } from './limited-check.ts';

export interface WebhookDeps {
  /** Reads answers up to webhookResponseBytesMax. */
  readonly post: GuardedPost;
  readonly clock: Pick<Clock, 'now'>;
}

export const webhookResponseBytesMax = 2 * 1024 * 1024;
/** Idle for less than most servers keep a connection open. */
export const webhookConnections: KeptConnections = { countMax: 8, idleMs: 4_000, ageMsMax: 60_000 };

/**
 * The contract, version 1. Answered is 200 with one of
 * - `{"decision":"pass"}`: nothing was found; the texts go on as they are, whatever the guardrail's action.
 * - `{"decision":"found","labels":["…"]}`, or "block" in place of "found", which means the same: what becomes of it is the
 *   guardrail's action. block: the caller is refused. observe: it is counted. redact: the caller is refused too, because nothing
 *   says what to put in place of what was found.
 * - `{"decision":"redact","texts":["…"]}`, with as many texts as were sent, in their order: redact puts them in place of those that
 *   were sent; block and observe do what they do with "found". It may have labels too.
 *
 * Labels say what was found, in the form `^[A-Z][A-Z0-9_]*$`; others are ignored, and so are fields that are not named here.
 */
export function createWebhookAsk({ url, secret }: WebhookCheck, { post, clock }: WebhookDeps): Ask {
  return async (question, signal) => {
    const body = questionBody(question);
    const owner = { organization: question.organization.id, key: question.guardrail.id };
    const headers = {
      // Sent again over another connection it keeps its id.
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
