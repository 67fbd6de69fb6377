// How an answer is printed. What is shown only once stands alone on standard output, so that it can be taken from there by a
// script, and all else about it on standard error.
import type { JsonObject } from '../common/json.ts';
import { fieldsOf, methodTypes } from '../proto/json/contract.ts';
import { toJson } from '../proto/json/encode.ts';
import type { Invocation, MethodCommand } from './commands/command.ts';
import { listField, type Pages } from './pages.ts';
import { getField } from './request.ts';
import { printable, renderFields, renderTable } from './table.ts';

export async function printJson(value: object, { io }: Invocation): Promise<void> {
  await io.out(`${JSON.stringify(value, null, 2)}\n`);
}

export async function printAnswer(
  command: MethodCommand,
  answer: object,
  invocation: Invocation,
): Promise<void> {
  const { io, options } = invocation;
  const { responseType } = methodTypes(command.method);
  if (options.json === true) return await printJson(toJson(responseType, answer), invocation);
  const secret = command.secret === undefined ? undefined : getField(answer, command.secret);
  if (command.secret !== undefined) {
    const rest = renderFields(responseType, without(answer, command.secret));
    if (rest !== '') io.say(rest.trimEnd());
    if (typeof secret !== 'string') return;
    io.say('This is shown once and stored nowhere else:');
    return await io.out(`${printable(secret)}\n`);
  }
  if (command.done !== undefined) io.say(command.done);
  await io.out(renderFields(responseType, answer));
}

export async function printList(command: MethodCommand, pages: Pages, invocation: Invocation): Promise<void> {
  const { io, options } = invocation;
  const { responseType } = methodTypes(command.method);
  const { field, items, nextPageToken } = pages;
  if (options.json === true) {
    await printJson(toJson(responseType, { [field]: items, nextPageToken }), invocation);
  } else {
    const itemType = fieldsOf(responseType)[listField(command.method)]?.type ?? '';
    if (items.length === 0) io.say('none');
    else await io.out(renderTable(itemType, command.columns ?? { ID: 'id' }, items));
  }
  if (nextPageToken !== '')
    io.say(`there are more than these ${items.length}; --all shows all, --limit another number`);
}

function without(answer: object, path: string): object {
  const copy: JsonObject = { ...answer };
  delete copy[path];
  return copy;
}
