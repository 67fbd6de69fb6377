// The table of routes, and the table of paths with rows that the first does not have yet.
import { describe, expect, it } from 'vitest';
import { RequestHeaders } from '../../../../proxy/http/headers.ts';
import { clientFormatOf, findTarget, matchRoute, routeForm } from '../../../../proxy/http/match.ts';
import { namesIn, PathTable } from '../../../../proxy/http/path-table.ts';
import { isChat, isStored, type ModelsRow, type RouteRow, routeRows } from '../../../../proxy/http/routes.ts';
import { providersByName } from '../../../../proxy/providers/index.ts';

const values: Record<string, string> = { model: 'a%2Fb', provider: 'studio-ai', endpoint: 'my-hub', id: 'resp_1' };

/** A target that the row describes. */
function targetOf({ path }: RouteRow): string {
  const named = path.replace('{provider}/chat', 'openai/chat');
  return namesIn(named).reduce(
    (text, name) => text.replace(new RegExp(`\\{\\+?${name}\\}`), values[name] ?? ''),
    named,
  );
}

describe('the table of routes', () => {
  it.each(routeRows.map((row) => [`${row.method} ${row.path}`, row] as const))('is what matches %s', (_, row) => {
    const target = targetOf(row);
    const found = findTarget(target);
    expect(found.found?.row.path).toBe(row.path);
    const route = matchRoute(row.method, found, providersByName);
    if (isStored(row)) expect(route).toMatchObject({ kind: 'stored', action: row.operation, id: 'resp_1' });
    else expect(route.kind).toBe(isChat(row) ? 'chat' : row.operation);
    if (route.kind === 'chat') expect(route).toMatchObject({ format: row.format, home: isChat(row) && row.home });
    if (row.format !== 'marked') expect(clientFormatOf(found, new RequestHeaders([]))).toBe(row.format);
    expect(routeForm(target)).not.toBe('none');
  });

  it('has each method of a path once, and one format for all methods of a path', () => {
    for (const [path, rows] of Map.groupBy(routeRows, (row) => row.path)) {
      expect([...new Set(rows.map(({ method }) => method))], path).toHaveLength(rows.length);
      expect(new Set(rows.map(({ format }) => format)), path).toHaveProperty('size', 1);
    }
  });
});

describe('the table of paths', () => {
  const row = (method: RouteRow['method'], path: string): ModelsRow => ({
    method,
    path,
    operation: 'model',
    format: 'marked',
    summary: '',
  });
  const table = new PathTable([
    row('POST', '/v1/items/{id}'),
    row('GET', '/v1/items/{id}'),
    row('DELETE', '/v1/items/{id}'),
    row('POST', '/v1/items/{id}/cancel'),
    row('POST', '/v1/items/fixed'),
    row('POST', '/model/{+model}/converse'),
    row('POST', '/model/{+model}/converse-stream'),
    row('GET', '/v1/{provider}/chat'),
  ]);

  it.each([
    ['/v1/items/a', '/v1/items/{id}', { id: 'a' }],
    ['/v1/items/a%2Fb', '/v1/items/{id}', { id: 'a%2Fb' }],
    ['/v1/items/a/cancel', '/v1/items/{id}/cancel', { id: 'a' }],
    ['/v1/items/fixed', '/v1/items/fixed', {}],
    ['/model/a/b.c:0/converse', '/model/{+model}/converse', { model: 'a/b.c:0' }],
    ['/model/converse/converse-stream', '/model/{+model}/converse-stream', { model: 'converse' }],
    ['/v1/items/chat', '/v1/items/{id}', { id: 'chat' }],
    ['/v1/a-b-1/chat', '/v1/{provider}/chat', { provider: 'a-b-1' }],
  ])('finds %s', (path, expected, found) => {
    expect(table.find(path)).toMatchObject({ row: { path: expected }, values: found });
  });

  it.each(['/v1/items/', '/v1/items/a/b', '/v1/items/a/cancel/', '/model//converse', '/model/converse', '/v1/A/chat'])(
    'finds nothing for %s',
    (path) => {
      expect(table.find(path)).toBeUndefined();
    },
  );

  it('finds all methods of a path', () => {
    expect([...(table.find('/v1/items/a')?.rows.keys() ?? [])]).toEqual(['POST', 'GET', 'DELETE']);
  });
});
