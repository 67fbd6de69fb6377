// Exports the audit log: after its change is committed, every event becomes a line of the program's log, so that log
// collectors keep a copy that no restore undoes. An event is written unchanged, so its hash can be verified.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Logger } from '../../common/logger.ts';
import type { AuditEvent } from '../store/audit-chain.ts';

/** Writes at every log level: only GATEWAY_AUDIT_LOG switches the lines off. */
export function createAuditLog(log: Logger): (event: AuditEvent) => void {
  const lines = log.child({}, { level: 'info' });
  return (event) => lines.info({ audit: event }, 'audit');
}

/**
 * Reads the audit events of a collected log, which may contain other lines.
 * @throws Error if the file cannot be read
 */
export async function readAuditLog(file: string): Promise<readonly AuditEvent[]> {
  const events: AuditEvent[] = [];
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const event = readAuditLine(line);
    if (event !== undefined) events.push(event);
  }
  return events;
}

/**
 * Parses a line of the log. Skips text before the JSON, because some collectors add it.
 * @returns undefined if the line is no audit event
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

const texts = ['actor_id', 'actor_kind', 'action', 'from_address', 'hash', 'previous_hash', 'target_id', 'target_kind'];
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
