import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLogger, logLevels } from '../../../../common/logger.ts';
import { createAuditLog, readAuditLine, readAuditLog } from '../../../../control-plane/audit/audit-export.ts';
import { chained } from '../../../support/audit-events.ts';

const [event, second] = chained([
  { action: 'VirtualKeys.Revoke', target_id: 'key-1', before: { name: '"}{\n' }, after: { name: 'é' } },
  { action: 'People.Delete', target_id: 'person-1', organization_id: null },
]);

it.each(logLevels)('an audit event is one line of the log, also at the level %s', (level) => {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  if (event) createAuditLog(createLogger({ name: 'control-plane', level, stream }))(event);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^{"level":"info","time":"[^"]*","name":"control-plane","audit":{.*,"msg":"audit"}\n$/);
  expect(readAuditLine(lines[0] ?? '')).toEqual(event);
});

it.each([
  ['as a container runtime writes it', `2026-11-22T08:00:00.000000000Z stdout F ${line(event)}`],
  ['with white space', `  ${line(event)}\r`],
])('an audit line is read %s', (_how, text) => {
  expect(readAuditLine(text)).toEqual(event);
});

it.each([
  ['', 'no line'],
  ['{"level":"info","msg":"ready"}', 'another line'],
  ['"audit"', 'no object'],
  ['{"audit":', 'half a line'],
  ['{"audit":null}', 'no event'],
  ['{"audit":{}}', 'an empty event'],
  [line({ ...event, revision: '1' }), 'a revision that is no number'],
  [line({ ...event, revision: 1.5 }), 'half a revision'],
  [line({ ...event, at: null }), 'no time'],
  [line({ ...event, target_id: undefined }), 'no target'],
  [line({ ...event, organization_id: 7 }), 'an organization that is no text'],
  [line({ ...event, after: '{' }), 'half a resource'],
  [line({ ...event, before: 'null' }), 'a resource that is none'],
])('%s is skipped: %s', (text) => {
  expect(readAuditLine(text)).toBeUndefined();
});

it('audit events are read from a file with other lines', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-audit-'));
  try {
    const file = join(directory, 'collected.log');
    writeFileSync(file, `no JSON\n${line(event)}\n{"msg":"ready"}\n\n${line(second)}`);
    expect(await readAuditLog(file)).toEqual([event, second]);
    await expect(readAuditLog(join(directory, 'none'))).rejects.toThrow(/none/);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

function line(audit: unknown): string {
  return JSON.stringify({ level: 'info', audit, msg: 'audit' });
}
