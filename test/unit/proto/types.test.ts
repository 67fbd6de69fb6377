// The types of the contract are generated and not committed, so programs must run without them.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../support/process.ts';

const folder = join(projectRoot, 'proto/generated/gateway/v1');

describe('generated types of the contract', () => {
  it('export no value that a program could need at run time', () => {
    const types = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);
    expect(types.length).toBeGreaterThan(300);
    expect(types.filter(([, text]) => /^export (?!type |interface )/m.test(text))).toEqual([]);
  });

  it('are not generated again while the contract is unchanged', () => {
    const made = statSync(join(folder, '../digest')).mtimeMs;
    execFileSync(process.execPath, ['scripts/setup.mjs', 'types'], { cwd: projectRoot });
    expect(statSync(join(folder, '../digest')).mtimeMs).toBe(made);
  });
});
