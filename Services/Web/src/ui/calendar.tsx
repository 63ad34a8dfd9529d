/** One month to choose a day from; arrows move, Page Up and Page Down change the month. */
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { monthGrid } from '../domain/dates';
import { addDays, addMonths } from '../domain/days';
import * as words from '../generated/words';
import { IconButton } from './button';
import { dateLocale } from './words';

interface CalendarProps {
  day: string;
  today: string;
  onChoose: (day: string) => void;
}

const asDate = (day: string) => new Date(`${day}T00:00:00Z`);
const written = (day: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(dateLocale(), { ...options, timeZone: 'UTC' }).format(asDate(day));

const steps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -7,
  ArrowDown: 7,
};

export function Calendar({ day, today, onChoose }: CalendarProps) {
  const [at, setAt] = useState(day);
  const grid = useRef<HTMLDivElement>(null);
  const days = monthGrid(at);
  const hasMoved = useRef(false);
  useEffect(() => {
    if (hasMoved.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  }, [at]);

  function move(event: KeyboardEvent): void {
    const step = steps[event.key];
    const months = event.key === 'PageUp' ? -1 : event.key === 'PageDown' ? 1 : 0;
    if (step === undefined && months === 0) return;
    event.preventDefault();
    hasMoved.current = true;
    setAt(step === undefined ? addMonths(at, months) : addDays(at, step));
  }

  return (
    <div className="calendar">
      <div className="row between">
        <IconButton
          icon="back"
          label={words.calendarBefore()}
          onClick={() => setAt(addMonths(at, -1))}
        />
        <b aria-live="polite">{written(at, { month: 'long', year: 'numeric' })}</b>
        <IconButton
          icon="next"
          label={words.calendarAfter()}
          onClick={() => setAt(addMonths(at, 1))}
        />
      </div>
      <div
        className="calendar-days"
        ref={grid}
        role="group"
        aria-label={words.calendarDays()}
        onKeyDown={move}
      >
        {days.slice(0, 7).map((one) => (
          <span key={one} className="calendar-head" aria-hidden="true">
            {written(one, { weekday: 'narrow' })}
          </span>
        ))}
        {days.map((one) => (
          <button
            key={one}
            type="button"
            tabIndex={one === at ? 0 : -1}
            className={one.slice(0, 7) === at.slice(0, 7) ? undefined : 'other'}
            aria-pressed={one === day}
            aria-current={one === today ? 'date' : undefined}
            aria-label={written(
              one,
              { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
            )}
            onClick={() => onChoose(one)}
          >
            {Number(one.slice(8))}
          </button>
        ))}
      </div>
    </div>
  );
}
