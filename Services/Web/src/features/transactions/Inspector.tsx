/** One transaction beside the list, or over it on phones. */
import { useState } from 'react';
import type { AccountView, CategoryView, TransactionView } from '../../generated/api';
import { longDay } from '../../domain/dates';
import { isNegative } from '../../domain/units';
import * as words from '../../generated/words';
import { moneyText } from '../../ui/amount';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Mark, symbolOf } from '../../ui/icon';
import { Link } from '../../ui/link';
import { textOf } from '../../ui/refusals';
import { Note } from '../../ui/states';
import { useMedia } from '../../ui/media';
import { dateLocale } from '../../ui/words';
import { removeWithUndo } from './removal';

interface InspectorProps {
  transaction: TransactionView;
  category: CategoryView | undefined;
  account: AccountView | undefined;
  day: string;
  onClose: () => void;
}

export function Inspector(props: InspectorProps) {
  const isWide = useMedia('(min-width: 1080px)');
  const title = props.transaction.name || props.category?.name || '';
  if (isWide) {
    return <aside className="card stack" aria-label={title}><Details {...props} /></aside>;
  }
  return (
    <Dialog title={title} isTitleHidden onClose={props.onClose}><Details {...props} /></Dialog>
  );
}

function Details({ transaction, category, account, day, onClose }: InspectorProps) {
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const title = transaction.name || category?.name || '';

  async function remove(): Promise<void> {
    setBusy(true);
    try {
      await removeWithUndo([transaction.id]);
      onClose();
    } catch (failed) {
      setError(textOf(failed));
      setBusy(false);
    }
  }

  return (
    <>
      <Mark icon={symbolOf(category?.symbol)} color={category?.color} />
      <div>
        <b>{title}</b>
        <p className="num" data-size="xl">{moneyText(transaction.amount, 'always')}</p>
        <p className="sub">
          {[
            longDay(transaction.date, day, dateLocale()),
            account?.name,
          ].filter(Boolean).join(' · ')}
        </p>
      </div>
      <p className="row">
        <span className="tag">{category?.name}</span>{transaction.tags.map((tag) => <span className="tag" key={tag}>{tag}</span>)}
      </p>
      {error ? <Note tone="bad">{error}</Note> : null}
      <div className="row wrap">
        <Link className="btn line small" to={duplicateOf(transaction)}>{words.duplicate()}</Link>
        <Button look="bad" size="small" icon="bin" isBusy={isBusy} onClick={() => void remove()}>
          {words.remove()}
        </Button>
      </div>
    </>
  );
}

/** The add sheet with the same name, amount, category and account. */
function duplicateOf({ amount, name, categoryId, accountId }: TransactionView): string {
  const query = new URLSearchParams({
    kind: isNegative(amount) ? 'spent' : 'received',
    amount: amount.amount.replace('-', ''),
    name,
    category: categoryId,
    account: accountId,
  });
  return `/transactions/new?${query.toString()}`;
}
