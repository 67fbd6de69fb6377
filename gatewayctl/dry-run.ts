// The request that a change would send, without its secrets.
import { isObject } from '../common/json.ts';
import { methodTypes } from '../proto/json/contract.ts';
import { toJson } from '../proto/json/encode.ts';
import type { MethodName } from './client.ts';
import type { Invocation } from './command.ts';
import { printJson } from './print-response.ts';

/** @param request as it would be sent */
export async function printDryRun(method: MethodName, request: object, invocation: Invocation): Promise<void> {
  invocation.io.say('nothing was sent; this would be:');
  const shown = withoutSecrets(toJson(methodTypes(method).requestType, request));
  await printJson({ method, request: shown }, invocation);
}

/** Fields of the contract that contain credentials. */
const secretFields: readonly string[] = ['secret', 'credential'];

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, secretFields.includes(name) ? '[secret]' : withoutSecrets(one)]),
  );
}
