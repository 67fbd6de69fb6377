// The table of clients: the source of `gatewayctl keys snippet` and of the blocks in docs/clients.md.
import { codingAgents } from './agents.ts';
import type { Block, ClientRow } from './client.ts';
import { editors } from './editors.ts';
import { frameworks } from './frameworks.ts';
import { sdks } from './sdks.ts';

export type { Block, ClientRow, Wish } from './client.ts';

const rows = { ...sdks, ...frameworks, ...codingAgents, ...editors };

export type ClientName = keyof typeof rows;
export const clients: Readonly<Record<ClientName, ClientRow>> = rows;
export const clientNames = Object.keys(rows) as readonly ClientName[];

export const keyVariable = 'MODEL_GATEWAY_KEY';
export const urlVariable = 'MODEL_GATEWAY_URL';
/** Where a proxy listens by default (GATEWAY_LISTEN). */
export const defaultUrl = 'http://127.0.0.1:8080';

/**
 * The proxy's origin. A path such as `/v1` is cut off: each client has its own.
 * @throws Error that says what is accepted
 */
export function gatewayOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new Error('must be http://host:port or https://host');
  if (url.username !== '' || url.password !== '' || url.search !== '') throw new Error('must not contain credentials');
  if (!/^\/(?:v1\/?)?$/.test(url.pathname)) throw new Error('must not have a path: each client appends its own');
  return url.origin;
}

/** The blocks as text, each preceded by its file if it belongs into one. */
export function blocksText(blocks: readonly Block[]): string {
  return blocks
    .map(({ language, file, text }) => (file === undefined ? text : `${commentOf(language)} ${file}\n${text}`))
    .join('\n');
}

function commentOf(language: Block['language']): string {
  return language === 'js' || language === 'json' ? '//' : '#';
}
