// Reads bills from files that a test writes, as the import does.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type ReadBill, type SummedDay, sumByDay } from '../../../gatewayctl/bills/bill.ts';
import type { Io } from '../../../gatewayctl/io.ts';

export interface Read {
  readonly days: readonly SummedDay[];
  readonly remarks: readonly string[];
}

type Reader = (files: readonly string[], io: Io) => ReadBill;

/** @param contents of one file each */
export function readFiles(reader: Reader, ...contents: readonly (string | Buffer)[]): Promise<Read> {
  return withFiles(contents, (files) => readBill(reader(files, ioWith(''))));
}

export async function withFiles<Result>(
  contents: readonly (string | Buffer)[],
  use: (files: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'bill-'));
  try {
    const files = contents.map((content, nth) => {
      const file = join(directory, `part-${nth}`);
      writeFileSync(file, content);
      return file;
    });
    return await use(files);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

export async function readBill(bill: ReadBill): Promise<Read> {
  const days = await sumByDay(bill, { from: undefined, to: undefined });
  return { days, remarks: bill.remarks() };
}

/** Input and output with this text on standard input. */
export function ioWith(input: string): Io {
  const nothing = async () => '';
  return {
    ...{ env: {}, interactive: false, ask: nothing, askHidden: nothing },
    out: async () => undefined,
    say: () => undefined,
    input: async () => input,
    inputStream: () => Readable.from([Buffer.from(input)]),
  };
}

/** Rows of all days in short form: `resource a1 | Nova | flex | 1000/0 | 0.03`. */
export function inWords({ days }: Read): readonly string[] {
  return days.flatMap(({ day, rows }) =>
    rows.map(({ references = [], model, kind, serviceTier, tokens, costUsd }) => {
      const { prompt = 0, completion = 0, cacheRead = 0, cacheWrite = 0, cacheWrite1h = 0 } = tokens ?? {};
      const counts = [prompt, completion, cacheRead, cacheWrite, cacheWrite1h].join('/');
      const whose = references.map(
        (one) => `${String(one.kind).replace('BILL_REFERENCE_KIND_', '').toLowerCase()} ${one.value}`,
      );
      const word = String(kind).replace('BILL_ROW_KIND_', '').toLowerCase();
      return [
        ...[day, whose.join(', '), word, model, serviceTier, tokens === undefined ? '-' : counts],
        costUsd ?? '-',
      ].join(' | ');
    }),
  );
}
