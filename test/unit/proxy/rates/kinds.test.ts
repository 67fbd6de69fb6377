// Checks for each kind of limit that the compiler cannot make: the Redis script and the documentation page know it.
// test/integration/proxy/rates.test.ts tests that each kind is counted.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rateScripts } from '../../../../proxy/rates/scripts.ts';
import { projectRoot } from '../../../support/process.ts';
import { rateKinds } from '../../../support/rates.ts';

const page = readFileSync(join(projectRoot, 'docs/limits.md'), 'utf8');

describe.each(rateKinds)('the kind of limit %s', (kind) => {
  it('is in the table of the Redis script', () => {
    expect(rateScripts.turn).toMatch(new RegExp(`local kinds = \\{[^}]*\\b${kind} = `));
  });

  it('is described in docs/limits.md', () => {
    expect(page).toContain(`| ${kind.replaceAll('_', ' ')} |`);
  });
});
