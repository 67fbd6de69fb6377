// Changes many virtual keys in one command: the plan is shown, one confirmation is requested, and every key is changed
// by a call of its own. What fails is reported and does not stop the rest, so repeating the command does what is left.
import type { JsonObject } from '../../common/json.ts';
import { methodTypes } from '../../proto/json/contract.ts';
import { CallFailure } from '../call-failure.ts';
import type { Client } from '../client.ts';
import {
  type Done,
  type Given,
  type Invocation,
  isGiven,
  type MethodCommand,
  type Request,
  valuesOf,
} from '../command.ts';
import { explain } from '../explain.ts';
import { Failure, usageMistake } from '../failure.ts';
import { confirmed, writeValue } from '../method-command.ts';
import { organizationInUse } from '../organization.ts';
import { readPages } from '../pages.ts';
import { printJson } from '../print-response.ts';
import { checkRequest } from '../request.ts';
import { printable, renderTable } from '../table.ts';
import { keyColumns, selecting, where } from './keys-select.ts';

/** Options of a command that changes one key, or all that --where selects. */
export const bulkOptions: readonly Given[] = [where];

/** What a command does to all of its keys. */
interface Work {
  /** Such as "revoke". */
  readonly verb: string;
  readonly warning: string;
  /** Options that are for one key only. */
  readonly single: readonly Given[];
  /** Whether a key that somebody changed after the plan is left alone. */
  readonly guarded: boolean;
}

/** For `instead` of a command: undefined unless --where is given. @throws Failure if neither a key nor --where is */
export function onAll(command: () => MethodCommand, work: Work) {
  return (invocation: Invocation): (() => Promise<Done>) | undefined => {
    const texts = valuesOf(invocation, where);
    const isOne = isGiven(invocation, '[key]');
    if (texts.length === 0 && isOne) return undefined;
    if (texts.length === 0) throw usageMistake('name a key, or select keys by --where');
    if (isOne) throw usageMistake('--where is in place of a key; keep one of them');
    if (invocation.options.file !== undefined) throw usageMistake('--file is for one key, not with --where');
    const single = work.single.find((given) => invocation.given.has(given));
    if (single !== undefined)
      throw usageMistake(`${single.flags.replace(/ .*$/, '')} is for one key, not with --where`);
    return () => changeAll(command(), work, invocation);
  };
}

async function changeAll(command: MethodCommand, work: Work, invocation: Invocation): Promise<Done> {
  const { io } = invocation;
  const client = await invocation.client();
  const changes = await changesOf(command, invocation);
  const request = await selecting(valuesOf(invocation, where), invocation);
  const { items } = await readPages(client, 'VirtualKeys.List', request, Number.POSITIVE_INFINITY);
  if (items.length === 0) return io.say('none');
  io.say(planOf(items, changes, work));
  if (invocation.options.dryRun === true) return;
  await confirmed(`${upper(work.verb)} these ${items.length} keys? ${work.warning}`, invocation);
  await report(await callEach(items, { command, work, changes, client, invocation }), invocation);
}

/** What every key gets: the options of the command besides the selection. */
async function changesOf(command: MethodCommand, invocation: Invocation): Promise<Request> {
  const { requestType } = methodTypes(command.method);
  const organization = await organizationInUse(invocation);
  const request: Request = {};
  for (const [given, value] of invocation.given) {
    if (given.field === undefined) continue;
    await writeValue(request, given, { value, requestType, invocation, organizationId: async () => organization });
  }
  if (command.method === 'VirtualKeys.Update' && Object.keys(request).length === 0)
    throw usageMistake('nothing would change: give an option for each change');
  return (await command.complete?.(request, invocation)) ?? request;
}

const plannedMax = 50;

function planOf(items: readonly JsonObject[], changes: Request, { verb }: Work): string {
  const table = renderTable('VirtualKey', keyColumns, items.slice(0, plannedMax));
  const more = items.length > plannedMax ? `and ${items.length - plannedMax} more\n` : '';
  const what = Object.keys(changes).length === 0 ? '' : `, all to ${printable(JSON.stringify(changes))}`;
  return `${table}${more}${verb} ${items.length} keys${what}`;
}

interface Called {
  readonly done: readonly string[];
  readonly failed: readonly { readonly id: string; readonly name: string; readonly problem: string }[];
}

interface Calling {
  readonly command: MethodCommand;
  readonly work: Work;
  readonly changes: Request;
  readonly client: Client;
  readonly invocation: Invocation;
}

/** One after another, because changes of one organization run one after another anyway. */
async function callEach(items: readonly JsonObject[], calling: Calling): Promise<Called> {
  const { command, work, changes, client, invocation } = calling;
  const { requestType } = methodTypes(command.method);
  const givens = command.options ?? [];
  const { target } = await invocation.session();
  const done: string[] = [];
  const failed: { id: string; name: string; problem: string }[] = [];
  for (const item of items) {
    const { id, name } = { id: String(item.id), name: String(item.name) };
    const guard = work.guarded ? { ifRevision: String(item.revision) } : {};
    try {
      await client.ask(command.method, checkRequest(requestType, { ...changes, ...guard, id }, givens));
      done.push(id);
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      const failure = explain(error, target, givens);
      // Without a connection or a token the others fail as well.
      if (failure.ending !== 'refused') throw failure;
      failed.push({ id, name, problem: failure.message });
    }
  }
  return { done, failed };
}

async function report({ done, failed }: Called, invocation: Invocation): Promise<void> {
  const { io, options } = invocation;
  if (options.json === true) await printJson({ done, failed }, invocation);
  for (const { name, problem } of failed) io.say(`${printable(name)}: ${problem}`);
  if (failed.length > 0)
    throw new Failure('refused', `${done.length} keys were changed and ${failed.length} were not; repeat the command`);
  io.say(`${done.length} keys were changed`);
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
