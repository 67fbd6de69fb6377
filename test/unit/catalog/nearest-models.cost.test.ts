import { expect, it } from 'vitest';
import { chatModels } from '../../../catalog/model-names.ts';
import { nearestModels } from '../../../catalog/nearest-models.ts';
import { processorMs } from '../../support/processor-time.ts';

it('finding the nearest models takes little time, however long the name is', () => {
  const time = (requested: string) =>
    processorMs(() => {
      for (let i = 0; i < 20; i++) nearestModels(requested, chatModels());
    });
  time('gpt-provider/gpt-4o-minni');
  const usual = time('gpt-provider/gpt-4o-minni');
  expect(time(`gpt-provider/${'gpt-4o-mini-'.repeat(20_000)}`)).toBeLessThan(50 * usual + 100);
});
