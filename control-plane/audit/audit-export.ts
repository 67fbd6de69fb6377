// The audit log's way out of the database: every event, once its change is committed, is a line of the program's log, so that
// what collects logs keeps a copy that no restore undoes. An event is written as it is stored, so its hash can be checked.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Logger } from '../../common/logger.ts';
import type { AuditEvent } from '../store/audit-chain.ts';

/** Whatever the log's level is: who wants no lines says so by GATEWAY_AUDIT_LOG. */
export function createAuditLog(log: Logger): (event: AuditEvent) => void {
  const lines = log.child({}, { level: 'info' });
  return (event) => lines.info({ audit: event }, 'audit');
}

/** What is in a log as it was collected, other lines among it. @throws Error if the file cannot be read */
export async function readAuditLog(file: string): Promise<readonly AuditEvent[]> {
  const events: AuditEvent[] = [];
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const event = readAuditLine(line);
    if (event !== undefined) events.push(event);
  }
  return events;
}

/**
 * Reads a line back.
 * @returns undefined for what is no such line; what stands before the JSON, as some collectors put it there, is passed over
 */
export function readAuditLine(line: string): AuditEvent | undefined {
  const read = line.includes('"audit"') ? parsed(line.slice(line.indexOf('{'))) : undefined;
  return isObject(read) && isAuditEvent(read.audit) ? read.audit : undefined;
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

const texts = [
  'actor_id',
  'actor_kind',
  'action',
  'from_address',
  'hash',
  'previous_hash',
  'target_id',
  'target_kind',
];
const objectsOrNull = ['after', 'before'];

function isAuditEvent(value: unknown): value is AuditEvent {
  return (
    isObject(value) &&
    Number.isSafeInteger(value.revision) &&
    Number.isSafeInteger(value.at) &&
    texts.every((name) => typeof value[name] === 'string') &&
    objectsOrNull.every((name) => value[name] === null || isObject(parsed(value[name]))) &&
    (value.organization_id === null || typeof value.organization_id === 'string')
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
