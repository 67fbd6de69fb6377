// The status of a key as a badge, and its scope in words.
import type { KeyStatus, VirtualKey } from '../../../generated/contract.ts';
import { word } from '../../ui/format.ts';
import { Badge, type Tone } from '../../ui/notes.tsx';

const tones: Readonly<Record<KeyStatus, Tone>> = {
  KEY_STATUS_UNSPECIFIED: 'neutral',
  KEY_STATUS_ACTIVE: 'good',
  KEY_STATUS_INACTIVE: 'neutral',
  KEY_STATUS_EXPIRED: 'warn',
  KEY_STATUS_REVOKED: 'bad',
};

export function statusWord(status: KeyStatus): string {
  return status === 'KEY_STATUS_INACTIVE' ? 'off' : word(status, 'KEY_STATUS_');
}

export function KeyBadge({ status }: { readonly status: KeyStatus }) {
  return <Badge tone={tones[status]}>{statusWord(status)}</Badge>;
}

export function scopeText({ scope, scopeName = '' }: VirtualKey): string {
  switch (scope?.kind) {
    case 'KEY_SCOPE_KIND_AI_SYSTEM':
      return `AI system ${scopeName}`;
    case 'KEY_SCOPE_KIND_PERSON':
      return scopeName;
    default:
      return 'Organization';
  }
}

/** The dates between which a key may change without harm: neither ended nor revoked. */
export function isFinal({ status }: VirtualKey): boolean {
  return status === 'KEY_STATUS_REVOKED';
}
