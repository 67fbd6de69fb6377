// The GPT vendor's moderation endpoint, called with the organization's stored key and never with a caller's own.
// Source: SDK types `ModerationCreateParams` and `ModerationCreateResponse` of the package openai. Long texts are sent
// in pieces, because the vendor classifies each input separately.
import { plainNumber } from '../../../common/exact-number.ts';
import { isObject, parseJson } from '../../../common/json.ts';
import type { ShareOwner } from '../../../common/shares.ts';
import type { ModerationCheck } from '../../../guardrails/definition.ts';
import type { OrganizationRecord } from '../../access/principal.ts';
import { commonHeaders } from '../../formats/format.ts';
import { apiKeyOf } from '../../providers/credentials/credential.ts';
import type { Target } from '../../providers/provider.ts';
import type { Transport } from '../../upstream/transport.ts';
import { labelsIn, ServiceFailedError } from '../service.ts';
import type { Ask } from './limited-check.ts';
import { postWhole } from './post-whole.ts';

export interface ModerationDeps {
  readonly transport: Transport;
  /** The stored keys of gpt-provider, in the order in which they are tried. */
  targets(organization: OrganizationRecord): readonly Target[];
}

/** Time limit of one question, for all pieces of the texts together. */
export const moderationTimeoutMs = 5_000;
/** UTF-16 units of one input, and inputs of one question: well below the vendor's limits. */
const pieceLengthMax = 8_000;
const inputsMax = 32;
const responseBytesMax = 1024 * 1024;

export function createModerationAsk(check: ModerationCheck, { transport, targets }: ModerationDeps): Ask {
  return async ({ guardrail, organization, texts }, signal) => {
    const [target] = targets(organization);
    if (target?.credential.apiKey === undefined) throw new ServiceFailedError('no_key');
    const owner = { organization: organization.id, key: guardrail.id };
    // If one call fails, the others are aborted.
    const ending = new AbortController();
    const either = AbortSignal.any([signal, ending.signal]);
    const pending = batches(texts.flatMap(pieces)).map((input) =>
      ask(input, check, { target, transport, owner, signal: either }),
    );
    try {
      const found = new Set((await Promise.all(pending)).flat());
      return found.size === 0 ? { kind: 'pass' } : { kind: 'found', labels: labelsIn([...found].map(labelOf)) };
    } finally {
      ending.abort();
    }
  };
}

interface Requester {
  readonly target: Target;
  readonly transport: Transport;
  readonly owner: ShareOwner;
  readonly signal: AbortSignal;
}

/** @returns the categories that count. @throws ServiceFailedError, TransportError */
async function ask(
  input: readonly string[],
  check: ModerationCheck,
  { target, transport, owner, signal }: Requester,
): Promise<readonly string[]> {
  const { status, body } = await postWhole(
    {
      origin: target.baseUrl.origin,
      path: `${target.baseUrl.path}/moderations`,
      headers: ['authorization', `Bearer ${apiKeyOf(target)}`, ...commonHeaders(false)],
      body: JSON.stringify({ model: check.model, input }),
    },
    { transport, owner, signal, bytesMax: responseBytesMax },
  );
  if (status !== 200) throw new ServiceFailedError('refused');
  const response = parseJson(body.toString('utf8'));
  const results = isObject(response) ? response.results : undefined;
  if (!Array.isArray(results) || results.length !== input.length) throw new ServiceFailedError('answer');
  return results.flatMap((result) => categoriesIn(result, check));
}

/** @throws ServiceFailedError if the response lacks the values that the check reads */
function categoriesIn(result: unknown, { categories, scoreMin }: ModerationCheck): readonly string[] {
  const stated = isObject(result) ? (scoreMin === undefined ? result.categories : result.category_scores) : undefined;
  if (!isObject(stated)) throw new ServiceFailedError('answer');
  const looked = categories.length === 0 ? Object.keys(stated) : categories;
  return looked.filter((category) => {
    const value = Object.hasOwn(stated, category) ? stated[category] : undefined;
    return scoreMin === undefined ? value === true : (plainNumber(value) ?? -1) >= scoreMin;
  });
}

function labelOf(category: string): string {
  return category.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
}

function pieces(text: string): readonly string[] {
  const cut: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = at + pieceLengthMax;
    // Not within a surrogate pair.
    if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end--;
    cut.push(text.slice(at, end));
    at = end;
  }
  return cut;
}

function batches(inputs: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(inputs.length / inputsMax);
  return Array.from({ length: count }, (_, index) => inputs.slice(index * inputsMax, (index + 1) * inputsMax));
}
