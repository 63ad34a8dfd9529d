/** M1: every transaction, by day, with filters in the address. */
import { useMemo, useState, useEffect } from 'react';
import type { TransactionView } from '../../generated/api';
import { longDay } from '../../domain/dates';
import { sum, type Money } from '../../domain/units';
import * as words from '../../generated/words';
import { Chip } from '../../ui/button';
import { Icon, symbolOf } from '../../ui/icon';
import { withQuery } from '../../ui/query';
import { textOf } from '../../ui/refusals';
import { DayHead, TransactionRow } from '../../ui/rows';
import type { ScreenProps } from '../../ui/screen';
import { Empty, ErrorCard, Skeleton } from '../../ui/states';
import { VirtualList } from '../../ui/virtual-list';
import { dateLocale } from '../../ui/words';
import { useWaitingTransactions, type WaitingTransaction } from '../../api/waiting';
import { WaitingRow } from '../../ui/rows';
import { toast } from '../../ui/toast';
import { Inspector } from './Inspector';
import { listKeys } from './keys';
import { removeWithUndo } from './removal';
import { useSurroundings, useTransactions, type Filter } from './read';

type ListRow =
  | { readonly kind: 'waiting'; readonly row: WaitingTransaction }
  | { readonly kind: 'day'; readonly date: string; readonly sum: Money | undefined }
  | { readonly kind: 'one'; readonly one: TransactionView };

const HEAD = 46;
const ROW = 64;
const heightOf = (row: ListRow): number => (row.kind === 'day' ? HEAD : ROW);
const keyOf = (row: ListRow): string =>
  row.kind === 'day' ? row.date : row.kind === 'one' ? row.one.id : row.row.item.id;

export default function Transactions({ query, go }: ScreenProps) {
  const around = useSurroundings();
  const filter = filterOf(query, around.day);
  const { first, rows, next } = useTransactions(filter);
  const waiting = useWaitingTransactions();
  const list = useMemo(
    () => [...waiting.map((row): ListRow => ({ kind: 'waiting', row })), ...byDay(rows)],
    [first.body, rows.length, waiting.length],
  );
  const open = rows.find((one) => one.id === query.get('open'));
  const categories = useMemo(
    () => new Map(around.categories.map((one) => [one.id, one])),
    [around.categories],
  );
  const accounts = useMemo(
    () => new Map(around.accounts.map((one) => [one.id, one])),
    [around.accounts],
  );
  const set = (change: Record<string, string | undefined>, isStep = false) =>
    go(withQuery('/transactions', query, change), { replace: !isStep });

  function draw(row: ListRow) {
    if (row.kind === 'day') {
      return <DayHead title={longDay(row.date, around.day, dateLocale())} sum={row.sum} />;
    }
    if (row.kind === 'waiting') {
      return <WaitingRow row={row.row} category={categories.get(row.row.body.categoryId ?? '')} />;
    }
    const { one } = row;
    const category = categories.get(one.categoryId);
    return (
      <TransactionRow
        to={withQuery('/transactions', query, { open: one.id })}
        name={one.name || category?.name || ''}
        about={one.transferId ? words.ownTransfer() : [
          category?.name,
          accounts.get(one.accountId)?.name,
        ].filter(Boolean).join(' · ')}
        icon={one.transferId ? 'swap' : symbolOf(category?.symbol)}
        color={one.transferId ? undefined : category?.color}
        money={one.amount}
        converted={one.converted?.amount}
        isSelected={one.id === open?.id}
      />
    );
  }

  return (
    <>
      <Filters query={query} onChange={set} />
      <div className="two">
        <div
          className="card flush"
          onKeyDown={(event) => listKeys(
            event,
            (id) => void removeWithUndo([id]).catch((failed) => toast({ text: textOf(failed) })),
          )}
        >
          {first.error && !first.body ? (
            <ErrorCard detail={textOf(first.error)} onRetry={first.retry} />
          ) : null}
          {!first.body && !first.error ? <Skeleton rows={8} /> : null}
          {first.body && list.length === 0 ? (
            <Empty icon="list">{query.toString() ? words.filterNone() : words.homeEmpty()}</Empty>
          ) : null}
          {list.length > 0 ? (
            <VirtualList
              label={words.titleTransactions()}
              rows={list}
              keyOf={keyOf}
              heightOf={heightOf}
              draw={draw}
              onEnd={next}
            />
          ) : null}
        </div>
        {open ? (
          <Inspector
            key={open.id}
            transaction={open}
            category={categories.get(open.categoryId)}
            account={accounts.get(open.accountId)}
            day={around.day}
            onClose={() => set({ open: undefined })}
          />
        ) : null}
      </div>
    </>
  );
}

function filterOf(query: URLSearchParams, day: string): Filter {
  const direction = query.get('direction');
  const account = query.get('account');
  return {
    query: query.get('q') ?? undefined,
    from: query.get('month') ? `${day.slice(0, 7)}-01` : undefined,
    direction: direction === 'in' || direction === 'out' ? direction : undefined,
    accountId: account ? [account] : undefined,
  };
}

/** A head for each day, with its sum where the day has one currency. */
function byDay(rows: readonly TransactionView[]): ListRow[] {
  const list: ListRow[] = [];
  for (let index = 0; index < rows.length; ) {
    const date = rows[index]?.date ?? '';
    const day: TransactionView[] = [];
    for (let one = rows[index]; one && one.date === date; one = rows[++index]) day.push(one);
    const currency = day[0]?.amount.currency ?? '';
    const isOne = day.every((one) => one.amount.currency === currency);
    list.push({
      kind: 'day',
      date,
      sum: isOne ? sum(day.map((one) => one.amount), currency) : undefined,
    });
    for (const one of day) list.push({ kind: 'one', one });
  }
  return list;
}

interface FiltersProps {
  query: URLSearchParams;
  onChange: (change: Record<string, string | undefined>) => void;
}

const TYPING_MS = 300;

function Filters({ query, onChange }: FiltersProps) {
  const [typed, setTyped] = useState(query.get('q') ?? '');
  useEffect(() => {
    if (typed === (query.get('q') ?? '')) return undefined;
    const timer = setTimeout(() => onChange({ q: typed }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const toggle = (name: string, value: string) => () => onChange({ [name]: query.get(name) === value ? undefined : value });
  return (
    <div className="stack">
      <label className="within">
        <span className="unseen">{words.filterSearch()}</span>
        <input
          className="input"
          type="search"
          value={typed}
          placeholder={words.filterSearch()}
          onChange={(event) => setTyped(event.target.value)}
        />
        <span className="round" aria-hidden="true"><Icon name="search" /></span>
      </label>
      <div className="chips scroll" role="group" aria-label={words.filters()}>
        <Chip icon="cal" isOn={query.has('month')} onClick={toggle('month', 'this')}>
          {words.filterMonth()}
        </Chip>
        <Chip isOn={query.get('direction') === 'out'} onClick={toggle('direction', 'out')}>
          {words.filterOut()}
        </Chip>
        <Chip isOn={query.get('direction') === 'in'} onClick={toggle('direction', 'in')}>
          {words.filterIn()}
        </Chip>
        {query.has('account') ? (
          <Chip icon="x" isOn onClick={() => onChange({ account: undefined })}>
            {words.account()}
          </Chip>
        ) : null}
      </div>
    </div>
  );
}
