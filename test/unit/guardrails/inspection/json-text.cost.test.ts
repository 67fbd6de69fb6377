import { expect, it } from 'vitest';
import { mapJsonText } from '../../../../guardrails/inspection/json-text.ts';
import { processorMs } from '../../../support/processor-time.ts';

it('JSON text is inspected in time that grows only with its length', () => {
  const hostile = [`"${'\\\\'.repeat(400_000)}"`, `"${'\\"'.repeat(400_000)}"`, `[${'1,'.repeat(200_000)}1]`];
  for (const text of hostile) {
    const ms = processorMs(() => expect(mapJsonText(text, (part) => part)).toBe(text));
    expect(ms).toBeLessThan(2_000);
  }
});
