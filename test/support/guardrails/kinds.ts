// Each kind of guardrail with something that it finds, and what stands in its place. All stand in one text, so that each finds its own
// and leaves the others alone.
import { createCredential } from '../../../common/credential.ts';
import type { GuardrailFields } from './desk.ts';

export interface TriedKind {
  readonly kind: string;
  check(serviceUrl: string): GuardrailFields;
  /** What it finds; undefined: a size. */
  readonly finds?: string;
  /** In place of it; undefined: nothing can stand there. */
  readonly placed?: (number: number) => string;
  readonly stages: readonly string[];
  readonly actions: readonly string[];
}

export const stages = ['input', 'output', 'both'] as const;
export const actions = ['block', 'redact', 'observe'] as const;

const everywhere = { stages, actions };
const numbered = (label: string) => (number: number) => `[${label}_${number}]`;

/** What the webhook finds, and puts in its place. */
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

/** Of which each kind finds its part. */
export const planted = `Mind the ${kinds.flatMap(({ finds = [] }) => finds).join(', the ')} and nothing else. `;
