/** A field for an amount: comma or point, sums, and at once what was understood. */
import { useId, useState } from 'react';
import { readAmount, type ReadAmount } from '../domain/amount';
import { exponentOf } from '../domain/currency';
import { currencySign, formatMoney, formatPlain } from '../domain/money';
import * as words from '../generated/words';
import { Icon } from './icon';
import { locale } from './words';

interface MoneyInputProps {
  label: string;
  name?: string;
  currency: string;
  /** The amount to begin with, as the API writes it. */
  initial?: string;
  error?: string | undefined;
  isBig?: boolean;
  autoFocus?: boolean;
  /** The text in the field, when a keypad types into it as well. */
  typed?: string;
  onTyped?: (typed: string) => void;
  /** Keeps the phone's keyboard away: our keypad stands below. */
  hasKeypad?: boolean;
  /** Told of each change: the amount as the API writes it, or nothing while there is none. */
  onChange?: (amount: string | undefined) => void;
  /** Opens the list of currencies; without it the currency is fixed. */
  onCurrency?: () => void;
}

export function MoneyInput(props: MoneyInputProps) {
  const { label, name, currency, initial, isBig, onChange, onCurrency } = props;
  const id = useId();
  const [own, setOwn] = useState(initial ? formatPlain(initial, locale()) : '');
  const typed = props.typed ?? own;
  const [isTouched, setTouched] = useState(false);
  const read = readAmount(typed, currency);
  const fault = faultText(read, currency, isTouched);
  const error = props.error ?? fault;
  const understood = read.kind === 'amount' ? formatMoney(
    { amount: read.amount, currency },
    locale(),
  ) : '';
  const isPlain = read.kind === 'amount' && !read.isSum && typed === formatPlain(read.amount, locale());
  return (
    <div className={isBig ? 'field money big-money' : 'field money'}>
      <label className={isBig ? 'unseen' : undefined} htmlFor={id}>{label}</label>
      <div className="money-line">
        <CurrencySign currency={currency} onCurrency={onCurrency} />
        <input
          id={id}
          className="input num"
          inputMode={props.hasKeypad ? 'none' : 'decimal'}
          autoComplete="off"
          autoFocus={props.autoFocus}
          placeholder={formatPlain(zero(currency), locale())}
          value={typed}
          style={isBig ? { width: `${(typed.length || 4) + 0.4}ch` } : undefined}
          aria-invalid={error ? true : undefined}
          aria-describedby={`${id}-says`}
          onBlur={() => setTouched(true)}
          onChange={(event) => {
            setOwn(event.target.value);
            props.onTyped?.(event.target.value);
            const next = readAmount(event.target.value, currency);
            onChange?.(next.kind === 'amount' ? next.amount : undefined);
          }}
        />
      </div>
      {name ? (
        <input type="hidden" name={name} value={read.kind === 'amount' ? read.amount : ''} />
      ) : null}
      <p id={`${id}-says`} className={error ? 'error' : 'hint'} aria-live="polite">
        {error ? <Icon name="alert" /> : null}
        <span>
          {error ?? (understood && !isPlain ? words.moneyUnderstood({ amount: understood }) : '\u00a0')}
        </span>
      </p>
    </div>
  );
}

function CurrencySign({ currency, onCurrency }: {
  currency: string;
  onCurrency: (() => void) | undefined;
}) {
  const sign = currencySign(currency, locale());
  if (!onCurrency) return <span className="sign" aria-hidden="true">{sign}</span>;
  return (
    <button
      type="button"
      className="sign"
      aria-label={words.moneyCurrency({ currency })}
      onClick={onCurrency}
    >
      {sign} <Icon name="down" />
    </button>
  );
}

const zero = (currency: string): string => {
  const exponent = exponentOf(currency);
  return exponent > 0 ? `0.${'0'.repeat(exponent)}` : '0';
};

/** Too many decimals are said at once; the rest when the field is left. */
function faultText(read: ReadAmount, currency: string, isTouched: boolean): string | undefined {
  if (read.kind !== 'fault') return undefined;
  if (read.fault === 'too-many-decimals') {
    return exponentOf(currency) === 0
      ? words.moneyNoDecimals({ currency })
      : words.moneyDecimals({ currency, count: exponentOf(currency) });
  }
  if (!isTouched) return undefined;
  switch (read.fault) {
    case 'not-a-number':
      return words.moneyNotANumber();
    case 'too-large':
      return words.moneyTooLarge();
    case 'below-zero':
      return words.moneyBelowZero();
  }
}
