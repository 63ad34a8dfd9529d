/** A ring of at most seven slices and «others», with the same figures beside it. */
import type { Money } from '../../domain/units';
import { sum } from '../../domain/units';
import * as words from '../../generated/words';
import { moneyText } from '../amount';
import { Link } from '../link';
import { locale } from '../words';
import { moneyParts } from '../../domain/money';

export interface Slice {
  readonly id: string;
  readonly name: string;
  readonly amount: Money;
  /** As the API writes it: «33.9». */
  readonly percent: string;
  /** Opens what the slice is made of. */
  readonly to?: string;
}

const RADIUS = 44;
const LENGTH = 2 * Math.PI * RADIUS;
const SLICES_MAX = 7;
const GAP = 1.6;

/** The greatest seven, and the rest as one. */
export function slicesOf(all: readonly Slice[], currency: string): readonly Slice[] {
  if (all.length <= SLICES_MAX + 1) return all;
  const rest = all.slice(SLICES_MAX);
  const percent = rest.reduce((total, slice) => total + Number(slice.percent), 0).toFixed(1);
  const amount = sum(rest.map((slice) => slice.amount), currency);
  return [
    ...all.slice(0, SLICES_MAX),
    { id: 'rest', name: words.chartMore({ count: rest.length }), amount, percent },
  ];
}

export function Pie({ label, slices: all, total, note }: {
  label: string;
  slices: readonly Slice[];
  total: Money;
  note?: string;
}) {
  const slices = slicesOf(all, total.currency);
  return (
    <div className="pie">
      <Ring
        label={slices.length === 0 ? words.chartEmpty() : label}
        slices={slices}
        total={total}
        note={note}
      />
      {slices.length === 0 ? (
        <p className="sub center">{words.chartEmpty()}</p>
      ) : (
        <ul className="key">
          {slices.map((slice, index) => (
            <li key={slice.id}>
              <i style={{ background: `var(--c${index + 1})` }} />
              {slice.to ? <Link className="grow" to={slice.to}>{slice.name}</Link> : <span className="grow">{slice.name}</span>}
              <span className="amt">{moneyText(slice.amount)}</span>
              <span className="pc num">{percentText(slice.percent)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const percentText = (percent: string): string =>
  `${new Intl.NumberFormat(locale(), { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(Number(percent))} %`;

function Ring({ label, slices, total, note }: {
  label: string;
  slices: readonly Slice[];
  total: Money;
  note: string | undefined;
}) {
  let begun = 0;
  return (
    <svg className="donut" viewBox="0 0 120 120" role="img" aria-label={label}>
      {slices.length === 0 ? <circle className="s8 pale" cx={60} cy={60} r={RADIUS} /> : null}
      {slices.map((slice, index) => {
        const length = (LENGTH * Number(slice.percent)) / 100;
        const shown = Math.max(0.5, length - (slices.length > 1 ? GAP : 0));
        const offset = -begun;
        begun += length;
        return (
          <circle
            key={slice.id}
            className={`s${index + 1}`}
            cx={60}
            cy={60}
            r={RADIUS}
            strokeDasharray={`${shown.toFixed(2)} ${(LENGTH - shown).toFixed(2)}`}
            strokeDashoffset={offset.toFixed(2)}
            transform="rotate(-90 60 60)"
          />
        );
      })}
      <text className="mid" x={60} y={note ? 61 : 66} textAnchor="middle">
        {moneyParts(
          total,
          locale(),
          'minus',
          true,
        ).before + moneyParts(total, locale(), 'minus', true).after}
      </text>
      {note ? <text className="mid2" x={60} y={73} textAnchor="middle">{note}</text> : null}
    </svg>
  );
}
