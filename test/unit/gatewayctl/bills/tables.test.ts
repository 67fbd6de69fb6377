// Rows of exports in every form: CSV, JSON, gzip or plain, in one file or several. Broken input is refused.
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readCsv } from '../../../../gatewayctl/bills/csv.ts';
import { plainName, readTables } from '../../../../gatewayctl/bills/tables.ts';
import { ioWith, withFiles } from '../../../support/bills/read.ts';
import { positionsOf } from '../../../support/seed.ts';

async function* parts(...texts: readonly string[]) {
  yield* texts;
}

async function records(...texts: readonly string[]): Promise<readonly (readonly string[])[]> {
  return await Array.fromAsync(readCsv(parts(...texts)));
}

/** Reads the cells `a_b` and `c` of every row. */
function cells(...contents: readonly (string | Buffer)[]): Promise<readonly string[]> {
  return withFiles(contents, async (files) => {
    const rows = await Array.fromAsync(readTables(files, ['a_b', 'c'], ioWith('')).rows);
    return rows.map((row) => `${row.cell('a_b')} ${row.cell('c')}`);
  });
}

describe('CSV', () => {
  it('can have commas, quotes and line ends in quoted cells', async () => {
    expect(await records('a,"b,""c""\r\nd",e\r\n1,,3\n')).toEqual([
      ['a', 'b,"c"\r\nd', 'e'],
      ['1', '', '3'],
    ]);
  });

  it('is read the same wherever it is cut into chunks', async () => {
    const text = '\uFEFFname,"a ""quoted"" one"\r\n"x\ny",2';
    const whole = await records(text);
    expect(whole).toEqual([
      ['name', 'a "quoted" one'],
      ['x\ny', '2'],
    ]);
    for (const at of positionsOf(1, text.length))
      expect(await records(text.slice(0, at), text.slice(at))).toEqual(whole);
  });

  it('yields no record for an empty line', async () => {
    expect(await records('a,b\n\n1,2\n\n')).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ]);
  });

  it('that ends within quotes, or never closes one, is refused', async () => {
    await expect(records('a,"b')).rejects.toThrow('ends within quotes');
    await expect(records(`a,"${'b'.repeat(1024 * 1024)}`)).rejects.toThrow('a quote is not closed');
  });
});

describe('rows of an export', () => {
  it('are the same from CSV, lines of JSON and an array, with gzip or without', async () => {
    const csv = 'a/B,c\n1,2\n3,\n';
    const lines = '{"aB":1,"c":"2"}\n\n{"a":{"b":3},"c":null}\n';
    const array = '[{"a_b":"1","c":2},{"A b":3}]';
    for (const content of [csv, lines, array])
      for (const file of [content, gzipSync(content)]) expect(await cells(file)).toEqual(['1 2', '3 ']);
  });

  it('continue in the next file, which has its own header', async () => {
    expect(await cells('aB,c\n1,2\n', 'c,aB\n4,3\n')).toEqual(['1 2', '3 4']);
  });

  it('keep numbers as they were written', async () => {
    expect(await cells('{"aB":0.10000000000000000001,"c":1e-7}')).toEqual(['0.10000000000000000001 1e-7']);
  });

  it.each([
    ['a row with more cells than names', 'aB,c\n1,2,3\n', 'more cells'],
    ['a row that was cut', 'aB,c,d\n1,2,3\n1,2\n', 'fewer cells'],
    ['a line without an end', `{"aB":"${'x'.repeat(4 * 1024 * 1024)}`, 'too long to be a row'],
    ['a line that is not JSON', '{"aB":1}\n{"aB":', 'not JSON'],
    ['a line that is not an object', '[1]', 'not an object'],
    ['Parquet that is cut off', 'PAR1 and no more', 'cannot be read as Parquet'],
  ])('are refused for %s', async (_what, content, message) => {
    await expect(cells(content)).rejects.toThrow(message);
  });

  it('have the first of two columns whose names differ only in punctuation', async () => {
    expect(await cells('a_b,tag:x-y,tag:x_y,a/b,c\n1,8,9,7,2\n')).toEqual(['1 2']);
  });

  it('are read from standard input as from a file, with gzip or without, wherever the input is cut', async () => {
    const packed = gzipSync('aB,c\n1,é\n');
    const given = (bytes: Buffer, size: number) => ({
      ...ioWith(''),
      inputStream: () =>
        Readable.from(
          Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size)),
        ),
    });
    for (const bytes of [packed, Buffer.from('\uFEFFaB,c\n1,é\n')])
      for (const size of [1, 3, 1000]) {
        const rows = await Array.fromAsync(readTables(['-'], [], given(bytes, size)).rows);
        expect(rows.map((row) => `${row.cell('a_b')} ${row.cell('c')}`)).toEqual(['1 é']);
      }
    const parquet = readTables(['-'], [], given(Buffer.from('PAR1'), 4)).rows;
    await expect(Array.fromAsync(parquet)).rejects.toThrow('from a file, not from standard input');
  });

  it('are refused when the gzip of a file is cut off, instead of being read as complete', async () => {
    const whole = gzipSync(`aB,c\n${Array.from({ length: 5000 }, (_, n) => `${n},${n * 7919}`).join('\n')}\n`);
    await expect(cells(whole.subarray(0, -20))).rejects.toThrow('damaged or cut');
    await expect(cells(whole.subarray(0, 1000))).rejects.toThrow('damaged or cut');
  });

  it('are refused when a file does not exist, with the name of the file', async () => {
    await expect(
      readTables(['/nowhere/at-all'], [], {} as never)
        .rows[Symbol.asyncIterator]()
        .next(),
    ).rejects.toThrow('/nowhere/at-all cannot be read (ENOENT)');
  });

  it.each([
    ['lineItem/UsageType', 'line_item_usage_type'],
    ['line_item_usage_type', 'line_item_usage_type'],
    ['CostInBillingCurrency', 'cost_in_billing_currency'],
    ['costInUsd', 'cost_in_usd'],
    ['UnitOfMeasure', 'unit_of_measure'],
    ['service.description', 'service_description'],
  ])('have the name %s as %s', (name, plain) => {
    expect(plainName(name)).toBe(plain);
  });
});
