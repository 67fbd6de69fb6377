// Every request of a period as a file.
import { useState } from 'react';
import { download } from '../../api/call.ts';
import { useCaller } from '../../api/caller.tsx';
import { Button } from '../../ui/button.tsx';
import { Picker } from '../../ui/fields.tsx';
import { Panel, Row, Stack } from '../../ui/layout.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { periodOf, periodOptions } from '../shared/periods.ts';

const formats = [
  { id: 'csv', name: 'CSV' },
  { id: 'json-lines', name: 'JSON lines' },
] as const;

export function ExportUsage() {
  const { organizationId } = useCaller();
  const [period, setPeriod] = useState('month');
  const [format, setFormat] = useState('csv');
  const [error, setError] = useState<Error | null>(null);
  const [isPending, setPending] = useState(false);
  const save = async () => {
    setPending(true);
    setError(null);
    await download('Usage.Export', { organizationId, ...periodOf(period), format }).then(
      (blob) => saveFile(`usage-${period}.${format === 'csv' ? 'csv' : 'jsonl'}`, blob),
      (problem: Error) => setError(problem),
    );
    setPending(false);
  };
  return (
    <Panel title="Every request of a period">
      <Stack>
        <Picker label="Period" options={periodOptions} value={period} onChange={setPeriod} />
        <Picker label="Format" options={formats} value={format} onChange={setFormat} />
        <ErrorNote error={error} />
        <Row>
          <Button look="primary" onPress={() => void save()} isPending={isPending}>
            Export
          </Button>
        </Row>
      </Stack>
    </Panel>
  );
}
