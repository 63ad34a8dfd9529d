/** M2: a transaction in three taps: plus, amount, category. */
import { useState, type KeyboardEvent } from 'react';
import type { AccountView, CategoryView, NewTransaction } from '../../generated/api';
import { readAmount } from '../../domain/amount';
import { exponentOf } from '../../domain/currency';
import { formatOfLanguage, type DateFormat } from '../../domain/dates';
import { decimalSign, formatPlain } from '../../domain/money';
import { negated, unitsOf } from '../../domain/units';
import * as words from '../../generated/words';
import { moneyText } from '../../ui/amount';
import { Button, Segments } from '../../ui/button';
import { CategoryPicker } from '../../ui/category-picker';
import { Dialog } from '../../ui/dialog';
import { Keypad } from '../../ui/keypad';
import { useMedia } from '../../ui/media';
import { MoneyInput } from '../../ui/money-input';
import { textOf } from '../../ui/refusals';
import type { ScreenProps } from '../../ui/screen';
import { Note, Skeleton } from '../../ui/states';
import { toast } from '../../ui/toast';
import { useUnsent } from '../../ui/unsent';
import { locale } from '../../ui/words';
import { useChoices } from './choices';
import { DetailsFields, type Details } from './details';
import { useSurroundings } from './read';
import { adopt, record } from './write';

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
    <Dialog
      title={words.titleAdd()}
      isTitleHidden
      mayClose={mayClose}
      onClose={close}
      head={<Segments label={words.addKind()} value={kind} options={kinds} onChange={setKind} />}
    >
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
  format: DateFormat;
  query: URLSearchParams;
  onTyped: () => void;
  onSaved: (isMore: boolean) => void;
}

function Sheet({ kind, accounts, categories, day, format, query, onTyped, onSaved }: SheetProps) {
  const [details, setDetails] = useState<Details>({
    accountId: query.get('account') ?? accounts[0]?.id ?? '',
    name: query.get('name') ?? '',
    date: day,
  });
  const [typed, setTyped] = useState(formatInitial(query.get('amount')));
  const [categoryId, setCategory] = useState(query.get('category') ?? undefined);
  const [error, setError] = useState<string>();
  const isWide = useMedia('(min-width: 1080px)');
  const currency = accounts.find((one) => one.id === details.accountId)?.currency ?? 'EUR';
  const read = readAmount(typed, currency);
  const amount = read.kind === 'amount' && unitsOf(
    read.amount,
    exponentOf(currency),
  ) > 0n ? read.amount : undefined;
  const fitting = useChoices(categories, kind === 'spent' ? 'expense' : 'income');
  const category = fitting.find((one) => one.id === categoryId);

  function type(next: string): void {
    setTyped(next);
    setError(undefined);
    onTyped();
  }

  async function save(isMore: boolean): Promise<void> {
    if (!amount) return setError(words.addAmountNeeded());
    const money = { amount, currency };
    try {
      const body: NewTransaction = {
        amount: kind === 'spent' ? negated(money) : money,
        accountId: details.accountId,
        name: details.name.trim() || undefined,
        date: details.date,
        categoryId: category?.offered ? await adopt(category.offered, category.name) : category?.id,
      };
      const state = await record(body);
      toast({ text: state === 'kept' ? words.addSavedHere() : words.addSaved({ amount: moneyText(money) }) });
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

  const text = amount ? moneyText({ amount, currency }) : undefined;
  const label = !text ? words.addSaveNothing() : category ? words.addSaveIn({
    amount: text,
    category: category.name,
  }) : words.addSave({ amount: text });
  return (
    <div className="stack" onKeyDown={press}>
      <MoneyInput
        isBig
        autoFocus
        hasKeypad={!isWide}
        label={words.amount()}
        currency={currency}
        error={error}
        typed={typed}
        onTyped={type}
      />
      <CategoryPicker categories={fitting} value={categoryId} onChange={setCategory} />
      <DetailsFields
        isWide={isWide}
        details={details}
        accounts={accounts}
        day={day}
        format={format}
        onChange={setDetails}
      />
      {isWide ? (
        <p className="hint">{words.addHint()}</p>
      ) : (
        <Keypad
          point={exponentOf(currency) > 0 ? decimalSign(locale()) : undefined}
          onKey={(key) => type(typed + key)}
          onDelete={() => type(typed.slice(0, -1))}
        />
      )}
      <Button size="wide" onClick={() => void save(false)}>{label}</Button>
      <Button look="plain" onClick={() => void save(true)}>{words.addAnother()}</Button>
    </div>
  );
}

const formatInitial = (amount: string | null): string => (amount ? formatPlain(amount, locale()) : '');
