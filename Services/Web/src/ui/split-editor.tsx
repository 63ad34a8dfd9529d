/** Divides a shared expense, and shows each person's share before it is saved. */
import { useState } from 'react';
import { split, type SplitFault, type SplitKind, type SplitResult } from '../domain/split';
import type { Money } from '../domain/units';
import * as words from '../generated/words';
import { Amount, moneyText } from './amount';
import { Segments } from './button';
import { Face } from './icon';
import { Note } from './states';
import { listOf, locale } from './words';

export interface SplitMember {
  readonly id: string;
  readonly name: string;
}

export type EditedKind = Exclude<SplitKind, 'itemised'>;

export interface SplitState {
  readonly kind: EditedKind;
  /** The members who take part. */
  readonly taking: ReadonlySet<string>;
  /** The value that was typed for each member, as the API writes it. */
  readonly values: Readonly<Record<string, string>>;
}

interface SplitEditorProps {
  amount: Money;
  day: string;
  members: readonly SplitMember[];
  state: SplitState;
  onChange: (state: SplitState) => void;
}

/** The shares of a state, in the order of the members. */
export function resultOf(
  amount: Money,
  day: string,
  members: readonly SplitMember[],
  state: SplitState,
): SplitResult {
  const parts = members
    .filter((member) => state.taking.has(member.id))
    .map((member) => ({
      memberId: member.id,
      value: state.values[member.id] ?? (state.kind === 'shares' ? '1' : undefined),
    }));
  return split(amount, day, state.kind, parts);
}

export function SplitEditor({ amount, day, members, state, onChange }: SplitEditorProps) {
  const result = resultOf(amount, day, members, state);
  const shares = new Map(result.kind === 'shares' ? result.shares.map((share) => [share.memberId, share.amount]) : []);
  const kinds = [
    { value: 'equal' as const, label: words.splitEqual() },
    { value: 'shares' as const, label: words.splitShares() },
    { value: 'exact' as const, label: words.splitExact() },
    { value: 'percent' as const, label: '%', name: words.splitPercent() },
    { value: 'adjustment' as const, label: '±', name: words.splitAdjustment() },
  ];
  return (
    <div className="stack tight">
      <div className="padx">
        <Segments
          isFull
          label={words.splitKind()}
          value={state.kind}
          options={kinds}
          onChange={(kind) => onChange({ ...state, kind, values: {} })}
        />
      </div>
      <ul className="list">
        {members.map((member) => (
          <Member
            key={member.id}
            member={member}
            state={state}
            share={shares.get(member.id)}
            currency={amount.currency}
            onChange={onChange}
          />
        ))}
      </ul>
      <div className="padx" role="status">
        <Outcome amount={amount} members={members} result={result} />
      </div>
    </div>
  );
}

interface MemberProps {
  member: SplitMember;
  state: SplitState;
  share: string | undefined;
  currency: string;
  onChange: (state: SplitState) => void;
}

function Member({ member, state, share, currency, onChange }: MemberProps) {
  const isTaking = state.taking.has(member.id);
  const toggle = () => {
    const taking = new Set(state.taking);
    if (!taking.delete(member.id)) taking.add(member.id);
    onChange({ ...state, taking });
  };
  return (
    <li className="tx split-row">
      <input
        className="check"
        type="checkbox"
        checked={isTaking}
        aria-label={words.splitTakesPart({ name: member.name })}
        onChange={toggle}
      />
      <Face name={member.name} size="s" />
      <span className="what"><b>{member.name}</b></span>
      {isTaking && state.kind !== 'equal' ? (
        <Value key={state.kind} member={member} state={state} onChange={onChange} />
      ) : null}
      <span className="w84">
        {isTaking && share !== undefined ? <Amount money={{ amount: share, currency }} /> : <span className="amt none">–</span>}
      </span>
    </li>
  );
}

function Value({ member, state, onChange }: Omit<MemberProps, 'share' | 'currency'>) {
  const [typed, setTyped] = useState(state.values[member.id] ?? (state.kind === 'shares' ? '1' : ''));
  return (
    <input
      className="input mini num"
      inputMode={state.kind === 'adjustment' ? 'text' : 'decimal'}
      value={typed}
      placeholder="0"
      aria-label={words.splitValue({ name: member.name })}
      onChange={(event) => {
        setTyped(event.target.value);
        const value = event.target.value.trim().replace(',', '.').replace('−', '-').replace(/^(-?)\./, '$10.');
        onChange({ ...state, values: { ...state.values, [member.id]: value || '0' } });
      }}
    />
  );
}

/** Says how much is left to give, or that it adds up and who gets the odd cent. */
function Outcome({ amount, members, result }: {
  amount: Money;
  members: readonly SplitMember[];
  result: SplitResult;
}) {
  if (result.kind === 'fault') {
    return <Note tone="warm">{faultText(result.fault, amount.currency)}</Note>;
  }
  const names = members.filter((member) => result.odd.includes(member.id)).map((member) => member.name);
  return (
    <Note tone="good">
      <b>{words.splitAddsUp()}</b>{' '}
      {names.length > 0 ? words.splitOdd({ names: listOf(names) }) : words.splitWhole({ amount: moneyText(amount) })}
    </Note>
  );
}

function faultText(fault: SplitFault, currency: string): string {
  switch (fault.kind) {
    case 'nobody':
      return words.splitNobody();
    case 'not-a-number':
      return words.splitNotANumber();
    case 'below-nothing':
      return words.splitBelowNothing();
    case 'left': {
      const left = fault.left.replace('-', '');
      const text =
        fault.unit === 'money'
          ? moneyText({ amount: left, currency })
          : `${new Intl.NumberFormat(locale(), { maximumFractionDigits: 6 }).format(Number(left))} %`;
      return fault.left.startsWith('-') ? words.splitTooMuch({ amount: text }) : words.splitLeft({ amount: text });
    }
  }
}
