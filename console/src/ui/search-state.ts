// The state of a page is the search part of its address, so that it can be shared, reloaded and gone back from.
import { useNavigate, useSearch } from '@tanstack/react-router';

export type Search = Readonly<Record<string, string | undefined>>;

/** @returns the search parameters, and a function that changes some of them; undefined removes one */
export function useSearchState(): readonly [Search, (change: Search) => void] {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const update = (change: Search) =>
    void navigate({ to: '.', search: (before: Search) => ({ ...before, ...change }), replace: true });
  return [search, update];
}

/** @param text after "?" */
export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const present = Object.entries(search).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return present.length === 0 ? '' : `?${new URLSearchParams(present)}`;
}
