/** Rows and cards of money. */
import type { ReactNode } from 'react';
import { shortIban } from '../domain/iban';
import type { Money } from '../domain/units';
import * as words from '../generated/words';
import { Amount, moneyText, type AmountKind } from './amount';
import { Icon, Mark, symbolOf, type IconName } from './icon';
import { Link } from './link';

interface TransactionRowProps {
  to: string;
  name: string;
  /** Category and account, or what else explains it. */
  about: string;
  icon: IconName;
  color?: string | undefined;
  money: Money;
  kind?: AmountKind;
  converted?: Money | undefined;
  below?: string | undefined;
  isSelected?: boolean;
  /** The row waits to be sent, or was refused. */
  state?: 'waiting' | 'refused' | undefined;
}

/** One transaction: the whole row is one link. */
export function TransactionRow(props: TransactionRowProps) {
  return (
    <Link
      className={props.isSelected ? 'tx sel' : 'tx'}
      to={props.to}
      aria-current={props.isSelected || undefined}
    >
      <Mark icon={props.icon} color={props.color} />
      <span className="what">
        <b>{props.name}</b>
        <span>{props.about}</span>
      </span>
      {props.state ? <RowState state={props.state} /> : null}
      <Amount
        money={props.money}
        kind={props.kind ?? 'movement'}
        converted={props.converted}
        below={props.below}
      />
    </Link>
  );
}

function RowState({ state }: { state: 'waiting' | 'refused' }) {
  const label = state === 'waiting' ? words.rowWaiting() : words.rowRefused();
  return (
    <span className={state === 'waiting' ? 'tag' : 'tag bad'}>
      <Icon name={state === 'waiting' ? 'clock' : 'alert'} label={label} />
    </span>
  );
}

interface WaitingRowProps {
  row: {
    readonly body: { readonly name?: string | undefined; readonly amount: Money };
    readonly state: 'waiting' | 'refused';
  };
  category: {
    readonly name: string;
    readonly symbol?: string | undefined;
    readonly color: string;
  } | undefined;
}

/** A transaction that the server does not have yet. */
export function WaitingRow({ row, category }: WaitingRowProps) {
  return (
    <div className="tx">
      <Mark icon={symbolOf(category?.symbol)} color={category?.color} />
      <span className="what">
        <b>{row.body.name ?? category?.name ?? words.rowNew()}</b>
        <span>{row.state === 'waiting' ? words.rowWaiting() : words.rowRefused()}</span>
      </span>
      <RowState state={row.state} />
      <Amount money={row.body.amount} kind="movement" />
    </div>
  );
}

/** The head of a day in a list, with the day's sum. */
export function DayHead({ title, sum }: { title: string; sum: Money | undefined }) {
  return (
    <div className="day">
      <span>{title}</span>
      {sum ? <span className="num">{moneyText(sum, 'always')}</span> : null}
    </div>
  );
}

interface AccountCardProps {
  to: string;
  name: string;
  kind: string;
  icon: IconName;
  color?: string | undefined;
  iban?: string | undefined;
  balance: Money;
  converted?: Money | undefined;
}

export function AccountCard({
  to,
  name,
  kind,
  icon,
  color,
  iban,
  balance,
  converted,
}: AccountCardProps) {
  const about = [
    name,
    iban ? shortIban(iban) : '',
    converted ? `≈ ${moneyText(converted)}` : '',
  ].filter(Boolean);
  return (
    <Link className="acct" to={to}>
      <span className="row between">
        <Mark icon={icon} color={color} size="s" />
        <span className="tag">{kind}</span>
      </span>
      <span className="sub">{about.join(' · ')}</span>
      <span className="num">{moneyText(balance)}</span>
    </Link>
  );
}

interface EnvelopeProps {
  name: string;
  icon: IconName;
  color?: string | undefined;
  available: Money;
  /** How much of the budget is used, 0 to 100 and above. */
  percent: number;
}

/** A budget: what is left in words, and a bar. */
export function Envelope({ name, icon, color, available, percent }: EnvelopeProps) {
  const isOver = available.amount.startsWith('-');
  const tone = isOver ? 'over' : percent >= 80 ? 'warm' : undefined;
  const amount = moneyText({ ...available, amount: available.amount.replace('-', '') });
  return (
    <div>
      <div className="row between">
        <span className="row"><Mark icon={icon} color={color} size="s" /> {name}</span>
        <span className={isOver ? 'amt over' : 'amt'}>
          {isOver ? words.budgetOver({ amount }) : words.budgetLeft({ amount })}
        </span>
      </div>
      <progress
        className={tone}
        max={100}
        value={Math.min(100, percent)}
        aria-label={words.budgetUsed({ name, percent: String(Math.round(percent)) })}
      />
    </div>
  );
}

/** A card with its title and one link. */
export function Card({ title, aside, isFlush, children }: {
  title: string;
  aside?: ReactNode;
  isFlush?: boolean;
  children: ReactNode;
}) {
  return (
    <section className={isFlush ? 'card flush' : 'card'} aria-label={title}>
      <div className="head">
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
