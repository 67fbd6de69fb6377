// Limits in words.
import type { Limit } from '../../../generated/contract.ts';
import { count, money, word } from '../../ui/format.ts';

/** Such as "$50.00 a month" or "600 requests a minute". */
export function limitText(limit: Limit): string {
  const parts = [amountText(limit), limit.model, limit.tag && `${limit.tag.name}=${limit.tag.value}`, eachText(limit)];
  return parts.filter((part) => part !== undefined && part !== '').join(', ');
}

function amountText({ kind, amountUsd, period, count: number, soft }: Limit): string {
  switch (kind) {
    case 'LIMIT_KIND_BUDGET':
      return `${money(amountUsd)} ${periodText(period ?? '')}${soft ? ' (soft)' : ''}`;
    case 'LIMIT_KIND_REQUESTS_PER_MINUTE':
      return `${count(number)} requests a minute`;
    case 'LIMIT_KIND_TOKENS_PER_MINUTE':
      return `${count(number)} tokens a minute`;
    case 'LIMIT_KIND_CONCURRENT_REQUESTS':
      return `${count(number)} requests at once`;
    default:
      return word(kind, 'LIMIT_KIND_');
  }
}

function periodText(period: string): string {
  const name = word(period, 'BUDGET_PERIOD_');
  return name === 'total' ? 'in all' : `${name === 'hour' ? 'an' : 'a'} ${name}`;
}

function eachText({ each }: Limit): string {
  if (each === undefined || each === '') return '';
  switch (each) {
    case 'key':
    case 'person':
      return `for each ${each}`;
    case 'system':
      return 'for each AI system';
    default:
      return `for each value of ${each.replace('tag:', '')}`;
  }
}
