// The state of an e-mail domain, in one word.
import type { SignInDomain } from '../../../generated/contract.ts';
import { Badge } from '../../ui/notes.tsx';

export function DomainState({ domain: { state } }: { readonly domain: SignInDomain }) {
  if (state === 'SIGN_IN_DOMAIN_STATE_VERIFIED') return <Badge tone="good">verified</Badge>;
  if (state === 'SIGN_IN_DOMAIN_STATE_VOUCHED') return <Badge tone="good">vouched for</Badge>;
  return <Badge tone="warn">not verified</Badge>;
}
