// Requests as they end: follows the list by its token, a call at a time, each of which waits for the first row.
import { useEffect, useRef, useState } from 'react';
import type { ListRequestsRequest, RequestRow } from '../../../generated/contract.ts';
import { call } from '../../api/call.ts';

const waitSeconds = 20;
const pauseMs = 2_000;
/** Further rows push the oldest out; the list below has them. */
const rowsMax = 500;

export interface Live {
  /** Newest first. */
  readonly rows: readonly RequestRow[];
  /** The last call failed; it is repeated. */
  readonly error: Error | null;
}

/** @param filter without times @param isOn false: pauses, and keeps its rows and where it was */
export function useLive(filter: ListRequestsRequest, isOn: boolean): Live {
  const key = JSON.stringify(filter);
  const [live, setLive] = useState<Live>({ rows: [], error: null });
  const token = useRef('');
  const followed = useRef(key);
  // Other filters are another list.
  useEffect(() => {
    if (followed.current === key) return;
    followed.current = key;
    token.current = '';
    setLive({ rows: [], error: null });
  }, [key]);
  useEffect(() => {
    if (!isOn) return;
    const controller = new AbortController();
    void follow(JSON.parse(key) as ListRequestsRequest, token, {
      signal: controller.signal,
      onRows: (rows) => setLive((before) => ({ rows: [...rows, ...before.rows].slice(0, rowsMax), error: null })),
      onError: (error) => setLive((before) => ({ ...before, error })),
    });
    return () => controller.abort();
  }, [key, isOn]);
  return live;
}

interface Followed {
  readonly signal: AbortSignal;
  readonly onRows: (rows: readonly RequestRow[]) => void;
  readonly onError: (error: Error) => void;
}

/** Until the signal. Never rejects. @param token of the last response, kept beyond a pause */
async function follow(
  filter: ListRequestsRequest,
  token: { current: string },
  { signal, onRows, onError }: Followed,
): Promise<void> {
  while (!signal.aborted) {
    const started = Date.now();
    const position =
      token.current === '' ? { pageSize: 1 } : { followToken: token.current, waitSeconds, pageSize: 200 };
    try {
      const { requests, followToken } = await call('Requests.List', { ...filter, ...position }, signal);
      if (token.current !== '') onRows(requests);
      token.current = followToken;
    } catch (error) {
      if (signal.aborted) return;
      onError(error instanceof Error ? error : new Error(String(error)));
    }
    const rest = pauseMs - (Date.now() - started);
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
  }
}
