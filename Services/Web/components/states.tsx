/** Empty, loading, errors and dialogs. */
import { useState } from 'react';
import { Button } from '../src/ui/button';
import { Confirm, Dialog } from '../src/ui/dialog';
import { Card } from '../src/ui/rows';
import { Empty, ErrorCard, Note, OfflineLine, Skeleton } from '../src/ui/states';

export function StateSamples() {
  return (
    <div className="two even">
      <div className="stack wide">
        <Card title="Empty">
          <Empty icon="wallet" action={<Button size="small" icon="plus">Add</Button>}>
            Nothing here yet. Add your first expense.
          </Empty>
        </Card>
        <Card isFlush title="Loading"><Skeleton rows={3} /></Card>
        <Skeleton kind="card" />
      </div>
      <div className="stack wide">
        <ErrorCard
          detail="The report could not be read. Try again in a minute."
          traceId="4bf92f3577b34da6a3ce929d0e0e4736"
          onRetry={() => undefined}
        />
        <Note>Rates are those of the European Central Bank, of 27 November.</Note>
        <Note tone="good"><b>Adds up.</b> The odd cent goes to Sofia.</Note>
        <Note tone="warm">€2.50 left to give.</Note>
        <Note tone="bad">No account has this IBAN. Check the last digits.</Note>
        <OfflineLine since="14:20" waiting={2} />
      </div>
    </div>
  );
}

export function DialogSample({ kind }: { kind: string }) {
  const [isOpen, setOpen] = useState(true);
  if (!isOpen) return null;
  const close = () => setOpen(false);
  if (kind === 'confirm') {
    return (
      <Confirm
        isDestructive
        title="Delete this category?"
        action="Delete 41 transactions"
        onConfirm={close}
        onClose={close}
      >
        <p>
          Groceries has 41 transactions. They are deleted with it, and this cannot be taken back.
        </p>
      </Confirm>
    );
  }
  return (
    <Dialog title="A sheet" onClose={close}>
      <p>On phones it can be dragged down.</p>
      <Button size="wide">Done</Button>
    </Dialog>
  );
}
