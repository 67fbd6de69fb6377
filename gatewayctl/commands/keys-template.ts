// Templates of new keys: a JSON file with fields of a key, how long it works, and its limits. A key with limits is
// created inactive and activated once all of them exist, so that it never works without them.
import { isObject, parseJson } from '../../common/json.ts';
import type { CreateVirtualKeyRequest as CreateRequest } from '../../proto/generated/gateway/v1/CreateVirtualKeyRequest.ts';
import type { CreateVirtualKeyResponse__Output as Created } from '../../proto/generated/gateway/v1/CreateVirtualKeyResponse.ts';
import type { Client } from '../client.ts';
import { type Done, type Given, type Invocation, type MethodCommand, type Request, textOf } from '../command.ts';
import { printDryRun } from '../dry-run.ts';
import { usageMistake } from '../failure.ts';
import { readGiven } from '../io.ts';
import { requestOf } from '../method-command.ts';
import { readPages } from '../pages.ts';
import { printResponse } from '../print-response.ts';
import { requestFromJson } from '../request.ts';
import { fromNow } from './shared.ts';

export const template: Given = {
  flags: '--template <file>',
  about: 'JSON with fields of the key as for --file, endsIn such as "90d", and limits; options come before it',
};

export interface Template {
  /** Fields of a request to create a key. */
  readonly key: Request;
  readonly endsIn: string | undefined;
  /** Requests to create limits, without organization and subject. */
  readonly limits: readonly Request[];
}

/** Fields that every key has of its own. */
const ownFields = ['organizationId', 'name', 'scope', 'clientRequestId'];

/** @throws Failure that names the file and the mistake */
export async function readTemplate(file: string, { io }: Pick<Invocation, 'io'>): Promise<Template> {
  const whole = parseJson(await readGiven(file, io));
  if (!isObject(whole)) throw usageMistake(`the file ${file} is no JSON object`);
  const { endsIn, limits = [], ...key } = whole;
  if (endsIn !== undefined && typeof endsIn !== 'string') throw usageMistake(`${file}: endsIn must be such as "90d"`);
  if (!Array.isArray(limits)) throw usageMistake(`${file}: limits must be a list`);
  const own = ownFields.find((name) => Object.hasOwn(key, name));
  if (own !== undefined) throw usageMistake(`${file}: ${own} is not for a template: each key has its own`);
  return {
    key: requestFromJson('CreateVirtualKeyRequest', JSON.stringify(key), file),
    endsIn,
    limits: limits.map((limit) => requestFromJson('CreateLimitRequest', JSON.stringify(limit), file)),
  };
}

/** For `complete`: what the command line leaves out comes from the template. */
export function withTemplate(request: Request, { key, endsIn }: Template): Request {
  return { ...key, ...(endsIn !== undefined && { endsAt: fromNow(endsIn) }), ...request };
}

/** For `instead` of a command that creates a key. */
export function fromTemplate(command: () => MethodCommand, invocation: Invocation): (() => Promise<Done>) | undefined {
  const file = textOf(invocation, template.flags);
  if (file === undefined) return undefined;
  return async () => {
    const { io } = invocation;
    if (file === '-' && invocation.options.file === '-') throw usageMistake('standard input has one file only');
    const read = await readTemplate(file, { io });
    const row = command();
    const complete = async (request: Request) =>
      withTemplate((await row.complete?.(request, invocation)) ?? request, read);
    const request = await requestOf({ ...row, complete }, invocation);
    if (invocation.options.dryRun === true) return await printDryRun(row.method, request, invocation);
    await printResponse(row, await createWithLimits(await invocation.client(), request, read), invocation);
  };
}

/** Called with a value as soon as it exists, because it is returned only once. */
type KeepValue = (name: string, id: string, value: string) => Promise<void>;

/**
 * Creates the key, then its limits, then activates it. Repeated with the same client request id, it does what is left.
 * @throws CallFailure; the key may exist then, inactive
 */
export async function createWithLimits(
  client: Client,
  request: object,
  { limits }: Template,
  keep: KeepValue = async () => undefined,
): Promise<Created> {
  const isLimited = limits.length > 0;
  const isWanted = !('active' in request) || request.active !== false;
  const created = await client.call('VirtualKeys.Create', {
    ...(request as CreateRequest),
    ...(isLimited && { active: false }),
  });
  const { virtualKey, value } = created;
  if (virtualKey === null) throw new Error('the response contains no key');
  if (value !== undefined) await keep(virtualKey.name, virtualKey.id, value);
  // A key that works has all of its limits already.
  if (!isLimited || virtualKey.active) return created;
  await createMissing(client, virtualKey, limits);
  if (!isWanted) return created;
  return { ...created, virtualKey: await client.call('VirtualKeys.Update', { id: virtualKey.id, active: true }) };
}

interface LimitedKey {
  readonly id: string;
  readonly organizationId: string;
}

async function createMissing(client: Client, { id, organizationId }: LimitedKey, limits: readonly Request[]) {
  const subject = { kind: 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY', id };
  const { items } = await readPages(client, 'Limits.List', { organizationId, subject }, Number.POSITIVE_INFINITY);
  for (const limit of limits) {
    if (items.some((item) => isSameLimit(limit, item))) continue;
    await client.ask('Limits.Create', { ...limit, organizationId, subject });
  }
}

/** A limit of the template, with its fields as the server returns them. */
function isSameLimit(limit: Request, existing: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(limit).every(([name, value]) => String(value) === String(existing[name]));
}
