// Reads and changes as hooks. A change makes every read of the page stale, so what is shown after it is what the control
// plane has.
import {
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useRef } from 'react';
import { call, type MethodName, type RequestOf, type ResponseOf } from './call.ts';
import { Problem } from './problem.ts';

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) =>
        failures < 2 && error instanceof Problem && (error.status === 0 || error.status >= 500),
    },
  },
});

export interface ReadOptions {
  readonly enabled?: boolean;
  readonly refetchMs?: number;
  /** Ends the repetition with the first result, and after a minute. */
  readonly untilFound?: boolean;
  /** Shows the former result until the next one is there. */
  readonly keep?: boolean;
}

/** What pages use of a read. */
export interface Read<Response> {
  readonly data: Response | undefined;
  readonly error: Error | null;
  readonly isLoading: boolean;
  refetch(): unknown;
}

const searchesMax = 60;

export function useRead<M extends MethodName>(
  method: M,
  request: RequestOf<M>,
  { enabled = true, refetchMs, untilFound = false, keep = false }: ReadOptions = {},
): Read<ResponseOf<M>> {
  return useQuery({
    queryKey: [method, request],
    queryFn: ({ signal }) => call(method, request, signal),
    enabled,
    refetchInterval: ({ state }) => {
      const isOver = untilFound && (state.data !== undefined || state.errorUpdateCount > searchesMax);
      return isOver ? false : (refetchMs ?? false);
    },
    placeholderData: keep ? keepPreviousData : undefined,
  });
}

/** Begins a read that a page is about to make. */
export function prefetch<M extends MethodName>(method: M, request: RequestOf<M>): void {
  void queries.prefetchQuery({
    queryKey: [method, request],
    queryFn: ({ signal }) => call(method, request, signal),
    retry: false,
  });
}

/** The methods whose responses are pages. */
export type ListMethod = {
  [M in MethodName]: RequestOf<M> extends { pageToken?: string }
    ? ResponseOf<M> extends { nextPageToken: string }
      ? M
      : never
    : never;
}[MethodName];

export interface List<Row> {
  readonly rows: readonly Row[];
  readonly isLoading: boolean;
  readonly error: Error | null;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  loadMore(): void;
}

/** @param rowsOf the rows of a page */
export function useList<M extends ListMethod, Row>(
  method: M,
  request: RequestOf<M>,
  rowsOf: (page: ResponseOf<M>) => readonly Row[],
  { enabled = true }: ReadOptions = {},
): List<Row> {
  const result = useInfiniteQuery({
    queryKey: [method, 'pages', request],
    queryFn: ({ signal, pageParam }) =>
      call(method, pageParam === '' ? request : { ...request, pageToken: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: (page) => (page as { nextPageToken: string }).nextPageToken || undefined,
    enabled,
  });
  return {
    rows: result.data?.pages.flatMap((page) => rowsOf(page)) ?? [],
    isLoading: result.isLoading,
    error: result.error,
    hasMore: result.hasNextPage,
    isLoadingMore: result.isFetchingNextPage,
    loadMore: () => void result.fetchNextPage(),
  };
}

/** The most rows that a list for a field has. */
export const wholeListMax = 500;

/** Rows of a list that is short enough to be read whole, such as people for a field. */
export function useAll<M extends ListMethod, Row>(
  method: M,
  request: RequestOf<M>,
  rowsOf: (page: ResponseOf<M>) => readonly Row[],
  options: ReadOptions = {},
): readonly Row[] {
  const { data } = useRead(method, { ...request, pageSize: wholeListMax }, options);
  return data === undefined ? [] : rowsOf(data);
}

export interface Change<M extends MethodName> {
  readonly isPending: boolean;
  readonly error: Error | null;
  /** The response; undefined if the change failed, which `error` then says. Never rejects. */
  run(request: RequestOf<M>): Promise<ResponseOf<M> | undefined>;
  reset(): void;
}

export function useChange<M extends MethodName>(method: M): Change<M> {
  const client = useQueryClient();
  const mutation = useMutation<ResponseOf<M>, Error, RequestOf<M>>({
    mutationFn: (request) => call(method, request),
    onSettled: () => client.invalidateQueries(),
  });
  const running = useRef(false);
  return {
    isPending: mutation.isPending,
    error: mutation.error,
    reset: mutation.reset,
    run: async (request) => {
      if (running.current) return undefined;
      running.current = true;
      try {
        return await mutation.mutateAsync(request);
      } catch {
        return undefined;
      } finally {
        running.current = false;
      }
    },
  };
}
