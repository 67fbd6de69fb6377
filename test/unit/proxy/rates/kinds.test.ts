// What the compiler cannot see of a new kind of limit: the script in Redis, and the page that describes it. That each is counted is in
// test/integration/proxy/rates.test.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rateScripts } from '../../../../proxy/rates/scripts.ts';
import { projectRoot } from '../../../support/process.ts';
import { rateKinds } from '../../../support/rates.ts';

const page = readFileSync(join(projectRoot, 'docs/limits.md'), 'utf8');

describe.each(rateKinds)('the kind of limit %s', (kind) => {
  it('is one that the script in Redis has', () => {
    expect(rateScripts.turn).toMatch(new RegExp(`local kinds = \\{[^}]*\\b${kind} = `));
  });

  it('is described in docs/limits.md', () => {
    expect(page).toContain(`| ${kind.replaceAll('_', ' ')} |`);
  });
});
