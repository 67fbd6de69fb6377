// Calls the control plane's JSON API, as any operator would.
export interface OperatorApi {
  /** @throws Error with the control plane's message */
  call(method: string, request: object): Promise<Record<string, unknown>>;
}

export function operatorApi(port: number, token: string): OperatorApi {
  return {
    call: async (method, request) => {
      const response = await fetch(`http://127.0.0.1:${port}/gateway.v1.${method}`, {
        method: 'POST',
        // A call after a pause would otherwise meet a connection that the server is about to close.
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, connection: 'close' },
        body: JSON.stringify(request),
      });
      const result = (await response.json()) as Record<string, unknown>;
      if (!response.ok) throw new Error(`${method}: ${String(result.message)}`);
      return result;
    },
  };
}
