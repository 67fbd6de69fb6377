import type { Stop } from '../../../generated/contract.ts';

/** What a stop refuses, in words. */
export function stopTarget({ target }: Stop): string {
  if (target === undefined) return '';
  if (target.directKeys) return 'Callers’ own provider keys';
  const { provider, model } = target;
  return provider !== undefined && model !== undefined ? `${provider}/${model}` : (provider ?? model ?? '');
}
