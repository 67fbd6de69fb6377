// AWS's cost and usage report: CSV and Parquet give the same rows, each line counts once, and a line without a model is
// kept apart.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { awsBill, readUsageType, unitOf } from '../../../../gatewayctl/bills/aws.ts';
import { inWords, readFiles } from '../../../support/bills/read.ts';

const support = new URL('../../../support/bills/', import.meta.url);
const csv = readFileSync(new URL('cost-and-usage.csv', support));
/**
 * The same rows as pyarrow 26 writes them: two row groups and a remainder, compressed with snappy, with a column of
 * maps.
 */
const parquet = readFileSync(new URL('cost-and-usage.parquet.bin', support));

const profile = 'resource arn:aws:bedrock:us-east-1:111122223333:application-inference-profile/a1';
const account = 'account 111122223333';

describe('a cost and usage report', () => {
  it('yields tokens and costs by principal and model', async () => {
    const read = await readFiles(awsBill, csv);
    expect(inWords(read)).toEqual([
      `2026-10-03 | ${profile}, ${account} | usage | Claude4.6Sonnet |  | 165456/7500/40000/2000/2000 | 0.506868`,
      `2026-10-03 | principal arn:aws:iam::111122223333:role/gateway, ${profile}, ${account} | usage | Nova2.0Lite | flex | 1000000/0/0/0/0 | 0.03`,
      `2026-10-03 | ${account} | credit |  |  | - | -2.5`,
      `2026-10-03 | ${account} | fee |  |  | - | 0.19`,
      `2026-10-03 | ${profile}, ${account} | usage | Guardrail-ContentPolicyUnitsConsumed |  | - | 0.00045`,
    ]);
    expect(read.remarks).toEqual([
      '1 lines of other services were left out',
      '1 lines that came more than once were counted once',
    ]);
  });

  it('yields the same rows from Parquet, from gzip, and with the columns of the legacy report', async () => {
    const expected = inWords(await readFiles(awsBill, csv));
    expect(inWords(await readFiles(awsBill, parquet))).toEqual(expected);
    expect(inWords(await readFiles(awsBill, gzipSync(csv)))).toEqual(expected);
    const [header = '', ...rows] = csv.toString().split('\r\n');
    const legacy = header
      .split(',')
      .map((name) =>
        name
          .replace(
            /^(line_item|identity|bill|pricing|product)_?/,
            (prefix) => `${prefix.replace(/_$/, '').replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}/`,
          )
          .replace(
            /\/(.*)$/,
            (_, rest: string) => `/${rest.replace(/(?:^|_)(\w)/g, (_part, letter: string) => letter.toUpperCase())}`,
          ),
      )
      .join(',');
    expect(legacy).toContain('lineItem/UsageType');
    expect(inWords(await readFiles(awsBill, [legacy, ...rows].join('\r\n')))).toEqual(expected);
  });

  it('counts a line once that is in two files', async () => {
    const expected = inWords(await readFiles(awsBill, csv));
    expect(inWords(await readFiles(awsBill, csv, parquet))).toEqual(expected);
  });

  it.each([
    ['USE1-Claude4.6Sonnet-cache-read-input-token-count-cross-region-global', 'Claude4.6Sonnet', 'cache-read', ''],
    ['USW2-Claude4.6Sonnet-input-tokens', 'Claude4.6Sonnet', 'input', ''],
    ['EUN1-NovaPro-output-tokens-priority', 'NovaPro', 'output', 'priority'],
    ['USE1-Nova2.0Lite-input-tokens-batch', 'Nova2.0Lite', 'input', 'batch'],
    ['USE1-openai.gpt-oss-120b-mantle-input-tokens-standard', 'openai.gpt-oss-120b', 'input', ''],
    ['APN1-Claude4Opus-cache-write-1h-input-token-count', 'Claude4Opus', 'cache-write-1h', ''],
    ['USE1-Guardrail-ContentPolicyUnitsConsumed', 'Guardrail-ContentPolicyUnitsConsumed', undefined, ''],
  ])('has the usage type %s parsed', (text, model, kind, tier) => {
    expect(readUsageType(text)).toEqual({ model, kind, tier });
  });

  it.each([
    ['1K tokens', 1000],
    ['1M tokens', 1_000_000],
    ['Tokens', 1],
    ['1000 Tokens', 1000],
    ['Text Units', undefined],
    ['', undefined],
  ])('maps the unit %j to %s', (text, unit) => {
    expect(unitOf(text)).toBe(unit);
  });

  it('is refused in another currency, and when it is no report', async () => {
    await expect(readFiles(awsBill, csv.toString().replaceAll(',USD,', ',CNY,'))).rejects.toThrow('is in CNY');
    await expect(readFiles(awsBill, csv.toString().replaceAll(',USD,', ',,'))).rejects.toThrow(
      'a currency that it does not say',
    );
    await expect(readFiles(awsBill, 'a,b\n1,2\n')).rejects.toThrow('no cost and usage report');
    const without = csv.toString().replace(',0.370368,', ',much,');
    await expect(readFiles(awsBill, without)).rejects.toThrow('no amount in line_item_unblended_cost');
  });
});
