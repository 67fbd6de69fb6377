// Each kind of guardrail with a text that it matches, and the replacement. All texts are in one request, so that each
// kind matches its own and no other.
import { createCredential } from '../../../common/credential.ts';
import type { GuardrailFields } from './fixture.ts';

export interface TriedKind {
  readonly kind: string;
  check(serviceUrl: string): GuardrailFields;
  /** The matching text; undefined for sizes. */
  readonly finds?: string;
  /** Its replacement; undefined if it cannot be replaced. */
  readonly placed?: (number: number) => string;
  readonly stages: readonly string[];
  readonly actions: readonly string[];
}

export const stages = ['input', 'output', 'both'] as const;
export const actions = ['block', 'redact', 'observe'] as const;

const everywhere = { stages, actions };
const numbered = (label: string) => (number: number) => `[${label}_${number}]`;

/** The webhook's match, and its replacement. */
export const codeName = { finds: 'code name juniper', placed: '[CODE NAME]' };

export const kinds: readonly TriedKind[] = [
  {
    ...{ kind: 'words', finds: 'blue heron', placed: numbered('WORD') },
    check: () => ({ words: { phrases: ['Blue  Heron', 'something else'] } }),
    ...everywhere,
  },
  {
    ...{ kind: 'pattern', finds: 'ticket-123456', placed: numbered('PATTERN') },
    check: () => ({ pattern: { patterns: ['ticket-[0-9]{6}', '(a+)+b'] } }),
    ...everywhere,
  },
  {
    ...{ kind: 'personal_data', finds: 'ada.lovelace@engines.co.uk', placed: numbered('EMAIL') },
    check: () => ({ personalData: {} }),
    ...everywhere,
  },
  {
    ...{ kind: 'secrets', finds: createCredential('virtualKey'), placed: numbered('GATEWAY_KEY') },
    check: () => ({ secrets: {} }),
    ...everywhere,
  },
  {
    kind: 'prompt_size',
    check: () => ({ promptSize: { messagesMax: 1 } }),
    ...{ stages: ['input'], actions: ['block', 'observe'] },
  },
  {
    ...{ kind: 'webhook', finds: codeName.finds, placed: () => codeName.placed },
    check: (url) => ({ webhook: { url } }),
    ...everywhere,
  },
  {
    ...{ kind: 'moderation', finds: 'flag:violence' },
    check: () => ({ moderation: {} }),
    ...{ stages, actions: ['block', 'observe'] },
  },
];

/** The text with a match for each kind. */
export const planted = `Mind the ${kinds.flatMap(({ finds = [] }) => finds).join(', the ')} and nothing else. `;
