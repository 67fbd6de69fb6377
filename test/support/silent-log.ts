// A logger without output.
import { createLogger } from '../../common/logger.ts';

export const silentLog = createLogger({ name: 'test', level: 'silent', stream: { write: () => {} } });
