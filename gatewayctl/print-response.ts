// Prints a response. A value that is shown only once is alone on standard output, so that a script can read it;
// everything else goes to standard error.
import { isObject, type JsonObject } from '../common/json.ts';
import { fieldsOf, methodTypes } from '../proto/json/contract.ts';
import { toJson } from '../proto/json/encode.ts';
import type { Invocation, MethodCommand } from './command.ts';
import { columnsOf, printStructured, type Structure } from './output.ts';
import { listField, type Pages } from './pages.ts';
import { getField } from './request.ts';
import { printable, renderFields, renderMatch, renderTable } from './table.ts';

/** Prints a structured value in the form that was requested; JSON for a table, which the caller prints otherwise. */
export async function printJson(value: object, { io, options }: Invocation, structure?: Structure): Promise<void> {
  await printStructured(value, { io, form: options.form }, structure);
}

export async function printResponse(command: MethodCommand, response: object, invocation: Invocation): Promise<void> {
  const { io, options } = invocation;
  const { responseType } = methodTypes(command.method);
  const secret = command.secret === undefined ? undefined : getField(response, command.secret);
  if (options.json === true) {
    await printJson(toJson(responseType, response), invocation, { columns: columnsOf(responseType) });
    if (typeof secret === 'string') command.afterSecret?.(response, invocation);
    return;
  }
  if (command.columns !== undefined) return await printRows(command, { ...response }, invocation);
  const present = command.onlyPresent === true ? presentOf(response) : response;
  const shown = command.render?.(response) ?? renderResponse(responseType, present, command.secret);
  if (command.done !== undefined) io.say(command.done);
  if (typeof secret !== 'string') return await io.out(shown);
  io.say(`${shown}This is shown once and stored nowhere else:`);
  await io.out(`${printable(secret)}\n`);
  command.afterSecret?.(response, invocation);
}

/** Without empty texts and messages, and values that say nothing. */
function presentOf(message: object): object {
  const fields = Object.entries(message).map(
    ([name, value]) => [name, isObject(value) ? presentOf(value) : value] as const,
  );
  return Object.fromEntries(fields.filter(([, value]) => saysSomething(value)));
}

function saysSomething(value: unknown): boolean {
  if (isObject(value)) return Object.keys(value).length > 0;
  return value !== '' && !/_UNSPECIFIED$/.test(String(value));
}

/** Unwraps a message that contains a single field besides the secret. */
function renderResponse(type: string, response: object, secret: string | undefined): string {
  const { [secret ?? '']: _shownAlone, ...rest }: JsonObject = { ...response };
  const [only, ...others] = Object.entries(fieldsOf(type)).filter(([name]) => name !== secret);
  const wrapped = secret === undefined || only === undefined || others.length > 0 ? undefined : rest[only[0]];
  return only !== undefined && isObject(wrapped) ? renderFields(only[1].type, wrapped) : renderFields(type, rest);
}

export async function printList(command: MethodCommand, pages: Pages, invocation: Invocation): Promise<void> {
  const { io, options } = invocation;
  const { responseType } = methodTypes(command.method);
  const { field, items, nextPageToken, match } = pages;
  const itemType = fieldsOf(responseType)[listField(command.method)]?.type ?? '';
  if (options.json === true) {
    const whole = { [field]: items, nextPageToken, ...(match !== undefined && { match }) };
    const names = Object.values(command.columns ?? {}).map((path) => path.replace('?', ''));
    await printJson(toJson(responseType, whole), invocation, { columns: columnsOf(itemType), names });
  } else {
    if (isObject(match)) io.say(renderMatch(match));
    await printTable(command, items, invocation);
  }
  if (nextPageToken !== '')
    io.say(`there are more than these ${items.length}; --all shows all, --limit another number`);
}

/** The list of a response that has no pages. */
async function printRows(command: MethodCommand, response: JsonObject, invocation: Invocation): Promise<void> {
  const rows = response[listField(command.method)];
  await printTable(command, Array.isArray(rows) ? rows.filter(isObject) : [], invocation);
}

async function printTable(
  { columns = { ID: 'id' }, method, itemText }: MethodCommand,
  items: readonly JsonObject[],
  { io, given }: Invocation,
): Promise<void> {
  const itemType = fieldsOf(methodTypes(method).responseType)[listField(method)]?.type ?? '';
  if (items.length === 0) io.say('none');
  else if (itemText !== undefined && given.has(itemText.given)) await io.out(items.map(itemText.text).join(''));
  else await io.out(renderTable(itemType, columns, items));
}
