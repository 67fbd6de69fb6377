// CSV that is valid for RFC 4180 and safe in spreadsheets.
import { expect, it } from 'vitest';
import { type Cell, csvLine } from '../../../common/csv.ts';

it.each<[readonly Cell[], string]>([
  [['a', 'b'], 'a,b\r\n'],
  [[''], '\r\n'],
  [[null, 0, -1.5, 1e6, true, false], ',0,-1.5,1000000,true,false\r\n'],
  [['a,b', 'a"b', 'a\nb', 'a\rb'], '"a,b","a""b","a\nb","a\rb"\r\n'],
  [['"'], '""""\r\n'],
  [['=1+1', '+1', '-1', '@SUM(A1)'], "'=1+1,'+1,'-1,'@SUM(A1)\r\n"],
  [['\t=1', '\r=1'], '\'\t=1,"\'\r=1"\r\n'],
  [['=HYPERLINK("http://a,b")'], '"\'=HYPERLINK(""http://a,b"")"\r\n'],
  [['a=1', ' =1', 'ü', '12.5'], 'a=1, =1,ü,12.5\r\n'],
])('writes %j', (cells, line) => {
  expect(csvLine(cells)).toBe(line);
});
