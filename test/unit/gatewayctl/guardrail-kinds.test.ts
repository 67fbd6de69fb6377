// Completeness of a guardrail kind that the compiler cannot check: an option that creates it, and a page that describes
// it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { guardrails } from '../../../gatewayctl/commands/guardrails.ts';
import { checkKinds } from '../../../proto/words/guardrails.ts';
import { projectRoot } from '../../support/process.ts';

const page = readFileSync(join(projectRoot, 'docs/guardrails.md'), 'utf8');
const options = guardrails.commands.create?.options ?? [];

describe.each(Object.keys(checkKinds.rows))('the guardrail kind %s', (kind) => {
  it('is created by an option of gatewayctl', () => {
    const fields = options.map(({ field = '' }) => field);
    expect(fields.filter((field) => `${field}.`.startsWith(`check.${kind}.`))).not.toEqual([]);
  });

  it('is described in docs/guardrails.md', () => {
    expect(page).toContain(`**\`${kind}\`**`);
  });
});
