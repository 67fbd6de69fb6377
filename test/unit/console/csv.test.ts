import { expect, it } from 'vitest';
import { csvOf } from '../../../console/src/ui/csv.ts';

it('quotes cells with commas, quotes and line breaks', () => {
  expect(
    csvOf([
      ['a', 'b,c'],
      ['say "hi"', 'two\nlines'],
    ]),
  ).toBe('a,"b,c"\r\n"say ""hi""","two\nlines"\r\n');
});

it('makes no formula of a name', () => {
  expect(csvOf([['=HYPERLINK("http://x")', '+1', '-2', '@sum', '\tx', 3]])).toBe(
    '"\'=HYPERLINK(""http://x"")",\'+1,\'-2,\'@sum,\'\tx,3\r\n',
  );
});
