// The entry of a list from which a client wants the next page.
import { expect, it } from 'vitest';
import { indexOfId } from '../../../../proxy/formats/list-page.ts';

const items = [{ id: 'a' }, { id: 'b' }];

it('a page begins after the entry that the client names', () => {
  expect(items.map(({ id }) => indexOfId(items, id, 'after_id'))).toEqual([0, 1]);
});

it('a page is refused after an entry that the list does not have', () => {
  const refused = expect.objectContaining({ code: 'invalid_request', param: 'after_id' });
  expect(() => indexOfId(items, 'c', 'after_id')).toThrow(refused);
});
