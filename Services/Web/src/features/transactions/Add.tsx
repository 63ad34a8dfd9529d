/** M2: a transaction in three taps: plus, amount, category. */
import { useState, type KeyboardEvent } from 'react';
import type { AccountView, CategoryView, NewTransaction } from '../../generated/api';
import { formatOfLanguage } from '../../domain/dates';
import { decimalOf, unitsOf } from '../../domain/units';
import { exponentOf } from '../../domain/currency';
import * as words from '../../generated/words';
import { moneyText } from '../../ui/amount';
import { Button, Segments } from '../../ui/button';
import { CategoryPicker } from '../../ui/category-picker';
import { DateInput } from '../../ui/date-input';
import { Dialog } from '../../ui/dialog';
import { Field, TextField } from '../../ui/field';
import { MoneyInput } from '../../ui/money-input';
import { textOf } from '../../ui/refusals';
import type { ScreenProps } from '../../ui/screen';
import { Note, Skeleton } from '../../ui/states';
import { toast } from '../../ui/toast';
import { useUnsent } from '../../ui/unsent';
import { locale } from '../../ui/words';
import { useSurroundings } from './read';
import { record } from './write';

type Kind = 'spent' | 'received';

export default function Add({ query, go }: ScreenProps) {
  const around = useSurroundings();
  const [turn, setTurn] = useState(0);
  const [isTyped, setTyped] = useState(false);
  const [kind, setKind] = useState<Kind>(query.get('kind') === 'received' ? 'received' : 'spent');
  const [isLeaving, setLeaving] = useState(false);
  useUnsent(isTyped);
  const close = () => (history.length > 1 ? history.back() : go('/'));
  const mayClose = () => {
    if (isTyped && !isLeaving) setLeaving(true);
    return !isTyped || isLeaving;
  };
  const kinds = [
    { value: 'spent' as const, label: words.addSpent() },
    { value: 'received' as const, label: words.addReceived() },
  ];
  const account = usable(around.accounts)[0];
  return (
    <Dialog title={words.titleAdd()} isTitleHidden mayClose={mayClose} onClose={close} head={<Segments label={words.addKind()} value={kind} options={kinds} onChange={setKind} />}>
      {isLeaving ? <Note tone="warm">{words.addLeave()}</Note> : null}
      {account ? (
        <Sheet
          key={turn}
          kind={kind}
          accounts={usable(around.accounts)}
          categories={around.categories}
          day={around.day}
          format={around.me?.dateFormat ?? formatOfLanguage(locale())}
          query={turn === 0 ? query : new URLSearchParams()}
          onTyped={() => setTyped(true)}
          onSaved={(isMore) => {
            setTyped(false);
            setLeaving(false);
            if (isMore) setTurn(turn + 1);
            else close();
          }}
        />
      ) : (
        <Skeleton rows={3} />
      )}
    </Dialog>
  );
}

const usable = (accounts: readonly AccountView[]) =>
  accounts.filter((one) => !one.closedAt && one.kind !== 'receivable' && one.role !== 'viewer');

interface SheetProps {
  kind: Kind;
  accounts: readonly AccountView[];
  categories: readonly CategoryView[];
  day: string;
  format: Parameters<typeof DateInput>[0]['format'];
  query: URLSearchParams;
  onTyped: () => void;
  onSaved: (isMore: boolean) => void;
}

function Sheet({ kind, accounts, categories, day, format, query, onTyped, onSaved }: SheetProps) {
  const [accountId, setAccount] = useState(query.get('account') ?? accounts[0]?.id ?? '');
  const [amount, setAmount] = useState<string | undefined>(query.get('amount') ?? undefined);
  const [categoryId, setCategory] = useState(query.get('category') ?? undefined);
  const [name, setName] = useState(query.get('name') ?? '');
  const [date, setDate] = useState<string | undefined>(day);
  const [error, setError] = useState<string>();
  const currency = accounts.find((one) => one.id === accountId)?.currency ?? 'EUR';
  const fitting = categories.filter((one) => one.type === 'both' || one.type === (kind === 'spent' ? 'expense' : 'income'));
  const category = fitting.find((one) => one.id === categoryId);
  const isReady = amount !== undefined && unitsOf(amount, exponentOf(currency)) > 0n;

  async function save(isMore: boolean): Promise<void> {
    if (!isReady) return setError(words.addAmountNeeded());
    const units = unitsOf(amount, exponentOf(currency));
    const signed = { amount: decimalOf(kind === 'spent' ? -units : units, exponentOf(currency)), currency };
    const body: NewTransaction = { amount: signed, accountId, name: name.trim() || undefined, date, categoryId: category?.id };
    try {
      const state = await record(body);
      const text = state === 'kept' ? words.addSavedHere() : words.addSaved({ amount: moneyText({ amount, currency }) });
      toast({ text });
      onSaved(isMore);
    } catch (failed) {
      setError(textOf(failed));
    }
  }

  function press(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.defaultPrevented || event.target instanceof HTMLButtonElement) return;
    event.preventDefault();
    void save(event.shiftKey);
  }

  const text = isReady ? moneyText({ amount, currency }) : undefined;
  const label = !text ? words.addSaveNothing() : category ? words.addSaveIn({ amount: text, category: category.name }) : words.addSave({ amount: text });
  return (
    <div className="stack" onKeyDown={press}>
      <MoneyInput
        isBig
        autoFocus
        label={words.amount()}
        currency={currency}
        initial={query.get('amount') ?? ''}
        error={error}
        onChange={(next) => {
          setAmount(next);
          setError(undefined);
          onTyped();
        }}
      />
      <CategoryPicker categories={fitting} value={categoryId} onChange={setCategory} />
      <div className="fx">
        <TextField label={words.name()} value={name} autoComplete="off" maxLength={140} onChange={(event) => setName(event.target.value)} />
        <Field label={words.account()}>
          {(ties) => (
            <select {...ties} className="input" value={accountId} onChange={(event) => setAccount(event.target.value)}>
              {accounts.map((one) => <option key={one.id} value={one.id}>{one.name}</option>)}
            </select>
          )}
        </Field>
        <DateInput label={words.day()} today={day} initial={day} format={format} onChange={setDate} />
      </div>
      <p className="hint only-wide">{words.addHint()}</p>
      <Button size="wide" onClick={() => void save(false)}>{label}</Button>
      <Button look="plain" onClick={() => void save(true)}>{words.addAnother()}</Button>
    </div>
  );
}
