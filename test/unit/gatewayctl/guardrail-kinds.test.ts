// What the compiler cannot see of a new kind of guardrail: the options that make one, and the page that describes it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { guardrails } from '../../../gatewayctl/commands/guardrails.ts';
import { checkKinds } from '../../../proto/words/guardrails.ts';
import { projectRoot } from '../../support/process.ts';

const page = readFileSync(join(projectRoot, 'docs/guardrails.md'), 'utf8');
const options = guardrails.commands.create?.options ?? [];

describe.each(Object.keys(checkKinds.rows))('the guardrail kind %s', (kind) => {
  it('is made by an option of gatewayctl', () => {
    const fields = options.map(({ field = '' }) => field);
    expect(fields.filter((field) => `${field}.`.startsWith(`check.${kind}.`))).not.toEqual([]);
  });

  it('is described in docs/guardrails.md', () => {
    expect(page).toContain(`**\`${kind}\`**`);
  });
});
