// The service Ledger as a proxy calls it, with its real messages and without a connection.
import type { ProxyCaller } from '../../../control-plane/rpc/caller.ts';
import type { LedgerService } from '../../../control-plane/services/ledger.ts';
import { services } from '../../../proto/load.ts';
import {
  decodeAcquire,
  decodeEnd,
  decodeReturn,
  decodeSession,
  encodeAcquire,
  encodeEnd,
  encodeReturn,
} from '../../../proxy/control-plane/wire-ledger.ts';
import { decodeReport, encodeReport } from '../../../proxy/control-plane/wire-report.ts';
import type { LedgerClient } from '../../../proxy/usage/ledger-client.ts';

export function wireTo(service: LedgerService, caller: ProxyCaller): LedgerClient {
  const { CloseSession, KeepSession, ReportUsage, Return } = services.Ledger;
  const keepSession = sent(KeepSession, (request) => service.keepSession(caller, request));
  const acquire = sent(services.Ledger.Draw, (request) => service.draw(caller, request));
  const release = sent(Return, (request) => service.release(caller, request));
  const report = sent(ReportUsage, (request) => service.reportUsage(caller, request));
  const closeSession = sent(CloseSession, (request) => service.closeSession(caller, request));
  return {
    keepSession: async (session) => decodeSession(await keepSession({ session })),
    acquire: async (request) => decodeAcquire(await acquire(encodeAcquire(request))),
    release: async (request) => decodeReturn(await release(encodeReturn(request))),
    report: async (events) => decodeReport(await report(encodeReport(events))),
    closeSession: async (end) => decodeEnd(await closeSession(encodeEnd(end))),
  };
}

/** The encoders and decoders of a method's messages. */
interface Method<Request, RequestRead, Response, ResponseRead> {
  requestSerialize(request: Request): Buffer;
  requestDeserialize(bytes: Buffer): RequestRead;
  responseSerialize(response: Response): Buffer;
  responseDeserialize(bytes: Buffer): ResponseRead;
}

function sent<Request, RequestRead, Response, ResponseRead>(
  method: Method<Request, RequestRead, Response, ResponseRead>,
  handle: (request: RequestRead) => Promise<Response>,
): (request: Request) => Promise<ResponseRead> {
  return async (request) => {
    const response = await handle(method.requestDeserialize(method.requestSerialize(request)));
    return method.responseDeserialize(method.responseSerialize(response));
  };
}
