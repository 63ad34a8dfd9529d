/** Small charts within cards: a line without axes, and a strip of parts. */
import type { Money } from '../../domain/units';
import { pixelsOf } from './scale';

export function Spark({ label, values }: { label: string; values: readonly Money[] }) {
  const numbers = values.map(pixelsOf);
  const low = Math.min(...numbers);
  const span = Math.max(...numbers) - low || 1;
  const at = (value: number, index: number) =>
    `${((600 * index) / Math.max(1, numbers.length - 1)).toFixed(1)} ${(60 - (56 * (value - low)) / span).toFixed(1)}`;
  const line = numbers.map((value, index) => `${index === 0 ? 'M' : 'L'}${at(value, index)}`).join('');
  return (
    <svg
      className="spark"
      viewBox="0 0 600 64"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path className="a" d={`${line}L600 64L0 64Z`} />
      <path className="l" d={line} />
    </svg>
  );
}

/** Parts of a whole as one thin strip; the list beneath has the figures. */
export function Strip({ values }: { values: readonly Money[] }) {
  return (
    <div className="strip" aria-hidden="true">
      {values.map((money, index) => (
        <i
          key={index}
          style={{ flex: Math.max(0.01, pixelsOf(money)), background: `var(--c${Math.min(8, index + 1)})` }}
        />
      ))}
    </div>
  );
}
