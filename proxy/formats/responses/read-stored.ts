// Reads a stored response again (SDK type `Response` of the package openai), for its state alone.
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject } from '../../../common/json.ts';
import { isOverStatus, type StoredState } from '../stored-state.ts';
import { responseUsage } from './usage.ts';

/** @returns undefined for a body that is no response */
export function readStored(body: Buffer): StoredState | undefined {
  const response = parseExactJson(body.toString());
  if (!isObject(response) || typeof response.status !== 'string') return undefined;
  const { status, model } = response;
  const isOver = isOverStatus(status);
  return {
    status,
    isOver,
    usage: isOver ? responseUsage(response) : undefined,
    model: typeof model === 'string' ? model : undefined,
  };
}
