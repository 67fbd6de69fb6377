// A month of usage with the bills of five vendors for it: the same requests twice, once for the ledger and once for
// each vendor's document, with differences planted at known places. Everywhere else both sides agree to a fraction of a
// cent.
import { randomUUID } from 'node:crypto';
import type { UsageEventRow } from '../../../control-plane/store/schema.ts';
import { Random } from '../access/random.ts';
import { usageEvent } from '../usage-events.ts';
import { type BilledUse, type Documents, documentsOf } from './documents.ts';
import { type KeyName, type Keys, type Line, lines, plants, type Use, worth } from './uses.ts';

export interface Month extends Documents {
  readonly days: readonly string[];
  readonly events: readonly UsageEventRow[];
}

export interface MonthOptions {
  readonly organizationId: string;
  readonly keys: Keys;
  /** Each like "2026-10-01"; the plants are on days of the first 28. */
  readonly days: readonly string[];
  readonly requestsADay: number;
  readonly seed: number;
}

export function makeMonth(options: MonthOptions): Month {
  const random = new Random(options.seed);
  const events: UsageEventRow[] = [];
  const billed: BilledUse[] = [];
  const side: Sides = {
    record: (day, use, fields) => void events.push(eventOf(options, day, use, fields)),
    bill: (day, use, fields) =>
      void billed.push({ day, use, usd: worth(use), requests: 1, tier: '', batch: false, ...fields }),
  };
  for (const [index, day] of options.days.entries()) {
    for (const line of lines) {
      for (let n = 0; n < options.requestsADay; n++) {
        const use = someUse(line, random);
        if (!isPlanted(index + 1, line, n)) {
          side.record(day, use, {});
          side.bill(day, use, {});
        }
      }
    }
    plantOn(index + 1, options.days, side, random);
  }
  return { days: options.days, events, ...documentsOf(billed, options.days) };
}

function someUse(line: Line, random: Random): Use {
  const prompt = 20_000 + random.below(60_000);
  return { line, prompt, cached: random.below(prompt / 2), completion: 2000 + random.below(8000) };
}

interface Sides {
  record(day: string, use: Use, fields: Partial<UsageEventRow>): void;
  bill(day: string, use: Use, fields: Partial<BilledUse>): void;
}

const lineOf = (key: KeyName, requested?: string): Line => {
  const line = lines.find((one) => one.key === key && (requested === undefined || one.requested === requested));
  if (line === undefined) throw new Error(`there is no line of ${key}`);
  return line;
};

/** Uses that a plant records and bills in its own way. */
function isPlanted(day: number, line: Line, n: number): boolean {
  const is = (key: KeyName, requested?: string) => line === lineOf(key, requested) && n === 0;
  switch (day) {
    case plants.priority:
      return is('gpt-main', 'gpt-4o-mini');
    case plants.otherPrice:
      return line.key === 'studio';
    case plants.wrongMapping:
      return is('bedrock-b');
    case plants.notBilled:
      return line.key === 'gemini';
    default:
      return false;
  }
}

type Plant = (today: string, tomorrow: string, sides: Sides, random: Random) => void;

const times = (count: number, work: () => void) => {
  for (let n = 0; n < count; n++) work();
};

const planted: Readonly<Record<number, Plant>> = {
  // Callers left: recorded with their reservations, 16,384 output tokens each, of which the vendor generated 500.
  [plants.hangUps]: (day, _next, { record: entry, bill }) => {
    const line = lineOf('gpt-main', 'gpt-4o');
    times(20, () => {
      const use = { line, prompt: 1000, cached: 0, completion: 500 };
      const reservation = nano(worth({ ...use, completion: 16_384 }));
      entry(
        day,
        { ...use, completion: 0 },
        {
          estimated: 1,
          estimate_reason: 'left',
          cost: reservation,
          reported_cost: nano(0.0025),
          status: 499,
        },
      );
      bill(day, use, {});
    });
  },
  // Billed at twice the price, recorded at the usual one.
  [plants.priority]: (day, _next, { record: entry, bill }, random) => {
    const use = { ...someUse(lineOf('gpt-main', 'gpt-4o-mini'), random), prompt: 3_000_000, cached: 0 };
    entry(day, use, {});
    bill(day, use, { tier: 'priority', usd: 2 * worth(use) });
  },
  [plants.agreeing]: (day, _next, { record: entry, bill }, random) => {
    const use = { ...someUse(lineOf('gpt-main', 'gpt-4o-mini'), random), prompt: 3_000_000, cached: 0 };
    entry(day, use, { cost: nano(2 * worth(use)), special: JSON.stringify({ serviceTier: 'priority' }) });
    bill(day, use, { tier: 'priority', usd: 2 * worth(use) });
    const unnamed = { ...someUse(lineOf('studio'), random), prompt: 2_000_000, cached: 0 };
    entry(day, unnamed, { model_answered: '' });
    bill(day, unnamed, {});
  },
  [plants.noPrice]: (day, _next, { record: entry, bill }) => {
    const line = {
      ...lineOf('gpt-main', 'gpt-4o'),
      requested: 'gpt-9-unknown',
      servedModel: 'gpt-9-unknown-2026-09-01',
    };
    const use = { line, prompt: 400_000, cached: 0, completion: 40_000 };
    entry(day, use, { unpriced: 1, cost: 0 });
    bill(day, use, {});
  },
  // A foreign key in the gateway's project.
  [plants.foreignKey]: (day, _next, { bill }) =>
    bill(
      day,
      { line: lineOf('gpt-main', 'gpt-4o'), prompt: 900_000, cached: 0, completion: 30_000 },
      { apiKey: 'key_research', requests: 30 },
    ),
  // The gateway's key, used outside the gateway.
  [plants.sameKeyElsewhere]: (day, _next, { bill }) =>
    bill(day, { line: lineOf('gpt-main', 'gpt-4o'), prompt: 700_000, cached: 0, completion: 20_000 }, { requests: 12 }),
  // An inference profile of b that is mapped to a.
  [plants.wrongMapping]: (day, _next, { record: entry, bill }) => {
    const use = { line: lineOf('bedrock-b'), prompt: 800_000, cached: 0, completion: 60_000 };
    entry(day, use, {});
    bill(day, use, { resource: 'arn:aws:bedrock:us-east-1:111122223333:application-inference-profile/b2' });
  },
  // Reserved before midnight, billed after it.
  [plants.midnight]: (day, next, { record: entry, bill }) => {
    const use = { line: lineOf('claude-main'), prompt: 500_000, cached: 0, completion: 50_000 };
    entry(day, use, {});
    bill(next, use, {});
  },
  // Requested and recorded at priority, but served and billed as usual.
  [plants.recordedPriority]: (day, _next, { record: entry, bill }, random) => {
    const use = { ...someUse(lineOf('gpt-main', 'gpt-4o-mini'), random), prompt: 3_000_000, cached: 0 };
    entry(day, use, { cost: nano(2 * worth(use)), special: JSON.stringify({ serviceTier: 'priority' }) });
    bill(day, use, {});
  },
  // Cut streams, counted by their text: a third less than the vendor generated.
  [plants.countedLow]: (day, _next, { record: entry, bill }) =>
    times(20, () => {
      const use = { line: lineOf('gpt-main', 'gpt-4o'), prompt: 1000, cached: 0, completion: 3000 };
      entry(day, { ...use, completion: 2000 }, { estimated: 1, estimate_reason: 'cut', reported_cost: 0 });
      bill(day, use, {});
    }),
  [plants.searches]: (day, _next, { record: entry, bill }, random) => {
    const use = someUse(lineOf('gpt-main', 'gpt-4o'), random);
    entry(day, use, { cost: nano(worth(use) + 0.3), special: JSON.stringify({ searches: 30 }) });
    bill(day, use, {});
    bill(day, use, { isTool: true, usd: 0.3 });
  },
  [plants.searchesUnbooked]: (day, _next, { bill }, random) =>
    bill(day, someUse(lineOf('gpt-main', 'gpt-4o'), random), { isTool: true, usd: 0.4 }),
  // The vendor's price increased, the ledger's did not.
  [plants.otherPrice]: (day, _next, { record: entry, bill }, random) =>
    times(3, () => {
      const use = { ...someUse(lineOf('studio'), random), prompt: 2_000_000 };
      entry(day, use, {});
      bill(day, use, { usd: 1.4 * worth(use) });
    }),
  [plants.notBilled]: (day, _next, { record: entry }, random) =>
    times(3, () => entry(day, someUse(lineOf('gemini'), random), {})),
  [plants.foreignProject]: (day, _next, { bill }) =>
    bill(
      day,
      { line: lineOf('gpt-main', 'gpt-4o'), prompt: 300_000, cached: 0, completion: 9000 },
      { apiKey: 'key_web', project: 'proj_web' },
    ),
  [plants.batch]: (day, _next, { bill }) =>
    bill(
      day,
      { line: lineOf('gpt-labs'), prompt: 9_000_000, cached: 0, completion: 100_000 },
      { batch: true, usd: 0.7 },
    ),
};

function plantOn(day: number, days: readonly string[], sides: Sides, random: Random): void {
  planted[day]?.(days[day - 1] ?? '', days[day] ?? '', sides, random);
}

export function nano(usd: number): number {
  return Math.round(usd * 1e9);
}

function eventOf({ organizationId, keys }: MonthOptions, day: string, use: Use, fields: Partial<UsageEventRow>) {
  const { line, prompt, cached, completion } = use;
  const at = Date.parse(day) + 12 * 3_600_000;
  return usageEvent({
    ...{ id: randomUUID(), organization_id: organizationId, key_id: randomUUID(), at, status: 200 },
    ...{
      provider: line.provider,
      model_asked: `${line.provider}/${line.requested}`,
      model_answered: line.servedModel,
    },
    ...{ prompt_tokens: prompt, cache_read_tokens: cached, cache_write_tokens: 0, cache_write1h_tokens: 0 },
    ...{ completion_tokens: completion, reasoning_tokens: 0, cost: nano(worth(use)) },
    provider_key_id: keys[line.key],
    ...fields,
  });
}
