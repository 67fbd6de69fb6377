// Text from outside is read in time that grows only with its length.
import { expect, it } from 'vitest';
import { callerAddress, trustedProxies } from '../../../common/caller-address.ts';
import { parseExactJson } from '../../../common/exact-json.ts';
import { printableLine, withoutKeyForms } from '../../../common/key-forms.ts';
import { processorMs } from '../../support/processor-time.ts';

const isTrusted = trustedProxies(['10.0.0.0/8', '192.0.2.7/32', 'fd00::/8', '::1/128']);

it('reading exact JSON takes time that grows only with the length of the text', () => {
  const hostile = [
    `[${'1.0,'.repeat(100_000)}1]`,
    `["${'\\"'.repeat(400_000)}",1.0]`,
    `["${'\\\\'.repeat(400_000)}",1.0]`,
    `[${'9'.repeat(400_000)}.${'0'.repeat(400_000)}]`,
  ];
  const ms = processorMs(() => {
    for (const text of hostile) expect(parseExactJson(text)).toBeDefined();
  });
  expect(ms).toBeLessThan(10_000);
});

it('a printable line takes no longer for a text that is made to be slow', () => {
  const ms = processorMs(() => {
    printableLine('sk'.repeat(2_000_000), 300);
    printableLine(`${'a-'.repeat(2_000_000)}`, 300);
    withoutKeyForms('a1'.repeat(50_000));
    withoutKeyForms('-_'.repeat(50_000));
  });
  expect(ms).toBeLessThan(2000);
});

it('finding the caller’s address takes no longer in an endless list than in one of some proxies', () => {
  const time = (list: string) =>
    processorMs(() => {
      for (let time = 0; time < 200; time++) callerAddress('10.1.1.1', list, isTrusted);
    });
  const some = Array.from({ length: 32 }, (_, hop) => `10.0.0.${hop}`).join(', ');
  const base = time(some) + 5;
  for (const hop of ['10.0.0.1,', ',', 'x,', `${'x'.repeat(8_000)},`, '1'.repeat(16_000)])
    expect(time(hop.repeat(Math.floor(16_384 / hop.length)))).toBeLessThan(base * 20);
});
