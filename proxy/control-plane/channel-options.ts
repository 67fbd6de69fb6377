// Options of the connection to the control plane: how a silent replica is noticed, and which calls are repeated.
import { shortestWait } from './shortest-wait.ts';

export const channelOptions: Readonly<Record<string, string | number>> = {
  // Otherwise a silent peer is never noticed.
  'grpc.keepalive_time_ms': 5_000,
  'grpc.keepalive_timeout_ms': 2_000,
  // Nor would a peer without a call under way be noticed, and the next call would go to it.
  'grpc.keepalive_permit_without_calls': 1,
  // Otherwise clients of one process would share connections and the waits between their tries.
  'grpc.use_local_subchannel_pool': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2_000,
  'grpc.dns_min_time_between_resolutions_ms': 2_000,
  'grpc.max_receive_message_length': 4 * 1024 * 1024,
  // The environment's HTTP proxy is not meant for connections between the planes.
  'grpc.enable_http_proxy': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.service_config': JSON.stringify({
    // Every call may go to another replica.
    loadBalancingConfig: [{ [shortestWait]: {} }],
    methodConfig: [
      {
        name: [{ service: 'gateway.v1.Access' }],
        // A replica that does not respond costs half a second: then the call also goes to another one, and the first
        // response counts. A replica that responds UNAVAILABLE costs nothing: the next one is tried at once.
        hedgingPolicy: { maxAttempts: 3, hedgingDelay: '0.5s', nonFatalStatusCodes: ['UNAVAILABLE'] },
      },
      {
        name: [{ service: 'gateway.v1.Ledger' }],
        // Every operation may be repeated: it has a number, and an event has an id. But slowness is no reason to
        // repeat: all replicas wait for the same rows of one database, and twice as many calls would make it slower
        // still.
        retryPolicy: {
          maxAttempts: 3,
          initialBackoff: '0.02s',
          maxBackoff: '0.2s',
          backoffMultiplier: 2,
          retryableStatusCodes: ['UNAVAILABLE'],
        },
      },
    ],
  }),
};
