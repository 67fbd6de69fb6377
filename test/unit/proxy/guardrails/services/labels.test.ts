import { expect, it } from 'vitest';
import { labelsIn } from '../../../../../proxy/guardrails/service.ts';

it.each([
  [
    ['TEA', 'TEA_2'],
    ['TEA', 'TEA_2'],
  ],
  [['TEA', 'TEA'], ['TEA']],
  [['tea', '_TEA', '2TEA', 'TÉA', 'TEA\n', ' TEA', 'TEA TIME', '', 7, null, ['TEA'], { TEA: 1 }, 'POT'], ['POT']],
  [['A'.repeat(64), 'B'.repeat(65)], ['A'.repeat(64)]],
  ['TEA', []],
  [{ 0: 'TEA', length: 1 }, []],
  [undefined, []],
])('the labels in %j are read as %j', (stated, labels) => {
  expect(labelsIn(stated)).toEqual(labels);
});

it('at most twenty labels are read', () => {
  const stated = Array.from({ length: 100 }, (_, index) => `LABEL_${index}`);
  expect(labelsIn(stated)).toEqual(stated.slice(0, 20));
});
