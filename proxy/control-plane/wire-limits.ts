// Decodes limits of records. One that this version does not know is refused: it would not be enforced.
import { canonicalSelector } from '../../catalog/model-selector.ts';
import type { BudgetPeriod } from '../../common/budget-window.ts';
import { isCounterKind } from '../../common/counter-names.ts';
import { isTimeZone, type LocalCalendar } from '../../common/local-windows.ts';
import type { LimitCounting__Output } from '../../proto/generated/gateway/v1/LimitCounting.ts';
import type { LimitRecord__Output } from '../../proto/generated/gateway/v1/LimitRecord.ts';
import type { LocalWindows__Output } from '../../proto/generated/gateway/v1/LocalWindows.ts';
import { budgetPeriods, limitKinds, limitTraffics } from '../../proto/words/access.ts';
import type { Limit } from '../access/principal.ts';
import { known, whole } from './wire-values.ts';

/** @throws Error for a limit that this version would not enforce */
export function decodeLimit(limit: LimitRecord__Output): Limit {
  return {
    id: limit.id,
    kind: known(limitKinds, limit.counting?.kind ?? limit.kind, 'limit'),
    amountUsd: limit.amountUsd,
    period: limit.windows ? decodeWindows(limit.windows) : decodePeriod(limit.period),
    count: limit.count === undefined ? undefined : whole(limit.count),
    model: limit.model === undefined ? undefined : canonicalSelector(limit.model),
    ...(limit.counting && decodeCounting(limit.counting)),
  };
}

type Counting = Pick<Limit, 'tag' | 'each' | 'required' | 'traffic' | 'providerKeyId'>;

function decodeCounting({ tag, each, required, traffic, providerKeyId }: LimitCounting__Output): Counting {
  if (each !== undefined && !isCounterKind(each))
    throw new Error('the record contains a limit for each of what this version does not know; update the proxy');
  return {
    ...(tag && { tag: { name: tag.name, value: tag.value } }),
    ...(each !== undefined && { each }),
    ...(required && { required }),
    ...decodeTraffic(traffic),
    ...(providerKeyId !== undefined && { providerKeyId }),
  };
}

function decodeTraffic(name: LimitCounting__Output['traffic']): Pick<Limit, 'traffic'> {
  if (name === undefined) return {};
  const traffic = known(limitTraffics, name, 'limit for a part of the traffic');
  return traffic === 'all' ? {} : { traffic };
}

function decodePeriod(period: LimitRecord__Output['period']): BudgetPeriod | undefined {
  return period === undefined ? undefined : known(budgetPeriods, period, 'budget period');
}

function decodeWindows({ period: name, startsOn, timeZone }: LocalWindows__Output): LocalCalendar {
  const period = decodePeriod(name);
  if (period === undefined || period === 'hour' || period === 'total' || !isTimeZone(timeZone))
    throw new Error('the record contains windows of a budget that this version does not know; update the proxy');
  const { hour = 0, weekday = 1, dayOfMonth = 1, month = 1 } = startsOn ?? {};
  return { period, timeZone, hour, weekday, dayOfMonth, month };
}
