// Follows a list: calls again and again for what is later than the last item, and prints it as it comes.
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../common/json.ts';
import { fieldsOf, methodTypes } from '../proto/json/contract.ts';
import { toJson } from '../proto/json/encode.ts';
import { CallFailure } from './call-failure.ts';
import type { Client } from './client.ts';
import type { Follow, Invocation, MethodCommand } from './command.ts';
import { Failure } from './failure.ts';
import { columnsOf, structuredText } from './output.ts';
import { listField, readPages } from './pages.ts';
import { renderTable } from './table.ts';

const everyMs = 2000;

export interface Followed {
  readonly command: MethodCommand;
  readonly follow: Follow;
  readonly request: object;
}

/** Runs until the program is interrupted. @throws Failure for a server that cannot follow; CallFailure */
export async function followList(followed: Followed, client: Client, invocation: Invocation): Promise<void> {
  let after = await startOf(followed, client);
  let isFirst = true;
  const { method, columns = {}, itemText } = followed.command;
  const text = itemText !== undefined && invocation.given.has(itemText.given) ? itemText.text : undefined;
  const type = fieldsOf(methodTypes(method).responseType)[listField(method)]?.type ?? '';
  await repeat(invocation, async () => {
    for await (const items of laterThan(after, followed, client)) {
      await printItems(items, { type, columns, invocation, isFirst, ...(text && { text }) });
      after = positionOf(items.at(-1), followed.follow);
      isFirst = false;
    }
    return everyMs;
  });
}

/**
 * Repeats a step until it is done. A server that cannot serve for a moment, as when it restarts, is called again.
 * @param step returns the milliseconds until the next one, or `done`
 * @throws the other errors of the step
 */
export async function repeat({ io }: Pick<Invocation, 'io'>, step: () => Promise<number | 'done'>): Promise<void> {
  let isDown = false;
  for (;;) {
    let pauseMs = everyMs;
    try {
      const next = await step();
      if (next === 'done') return;
      pauseMs = next;
      isDown = false;
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (!isDown) io.say(`gatewayctl: the server cannot be reached; trying further (${error.message})`);
      isDown = true;
    }
    await sleep(pauseMs);
  }
}

function isPassing(error: unknown): error is CallFailure {
  return error instanceof CallFailure && (error.code === 'UNAVAILABLE' || error.code === 'DEADLINE_EXCEEDED');
}

/** The position after which items are printed. */
async function startOf({ command, follow, request }: Followed, client: Client): Promise<bigint> {
  const fields: JsonObject = { ...request };
  if (fields[follow.since] !== undefined) return 0n;
  // Of all items: one that the filters leave out is a position too.
  const { organizationId } = fields;
  const all = organizationId === undefined ? {} : { organizationId };
  const { items } = await readPages(client, command.method, all, 1);
  return positionOf(items[0], follow);
}

function positionOf(item: JsonObject | undefined, { position }: Follow): bigint {
  return BigInt(String(item?.[position] ?? 0));
}

const itemsAtOnce = 500;

async function* laterThan(start: bigint, { command, follow, request }: Followed, client: Client) {
  let after = start;
  for (;;) {
    const later = { ...request, [follow.after]: String(after) };
    const { items } = await readPages(client, command.method, later, itemsAtOnce);
    const [first] = items;
    if (first === undefined) return;
    if (positionOf(first, follow) <= after)
      throw new Failure('refused', 'this server is older than this program: its lists cannot be followed');
    yield items;
    after = positionOf(items.at(-1), follow);
    if (items.length < itemsAtOnce) return;
  }
}

interface Printing {
  /** The type of an item in the contract. */
  readonly type: string;
  readonly columns: NonNullable<MethodCommand['columns']>;
  readonly invocation: Invocation;
  readonly isFirst: boolean;
  /** Of an item, in place of a table. */
  readonly text?: (item: JsonObject) => string;
}

/** JSON is one item a line, so that a program can read each as it comes; the header is printed once. */
export async function printItems(items: readonly JsonObject[], printing: Printing): Promise<void> {
  const { type, columns, isFirst, text: textOf } = printing;
  const { io, options } = printing.invocation;
  const { form } = options;
  const withoutHeader = (text: string) => (isFirst ? text : text.slice(text.indexOf('\n') + 1));
  if (form === 'table' && textOf !== undefined) return await io.out(items.map(textOf).join(''));
  if (form === 'table') return await io.out(withoutHeader(renderTable(type, columns, items)));
  const rows = items.map((item) => toJson(type, item));
  if (form === 'json') return await io.out(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const names = Object.values(columns).map((path) => path.replace('?', ''));
  const text = await structuredText({ items: rows }, form, { columns: columnsOf(type), names });
  await io.out(form === 'csv' ? withoutHeader(text) : text);
}
