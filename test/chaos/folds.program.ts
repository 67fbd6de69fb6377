// Records random usage and folds sums until it is killed: node test/chaos/folds.program.ts <database> <seed>
import { systemClock } from '../../common/clock.ts';
import { openStore } from '../../control-plane/store/open.ts';
import { StoreUnavailableError } from '../../control-plane/store/store.ts';
import { foldPiece, whatToFold } from '../../control-plane/usage/fold.ts';
import { Random } from '../support/access/random.ts';
import { randomEvent, record } from '../support/random-usage.ts';
import { silentLog } from '../support/silent-log.ts';

const [, , url = '', seed = '1'] = process.argv;
const random = new Random(Number(seed));
const store = await openStore({ url, log: silentLog, clock: systemClock });
console.log('ready');
for (;;) {
  try {
    await record(
      store,
      Array.from({ length: 1 + random.below(30) }, () => randomEvent(random)),
    );
    for (const next of await whatToFold(store))
      for (let piece = random.below(8); piece > 0; piece--) await foldPiece(store, next, 1 + random.below(9));
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
  }
}
