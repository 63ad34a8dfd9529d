/** A field for a day in the user's format: typed, stepped by arrows, or chosen from a month. */
import { useState, type KeyboardEvent } from 'react';
import { formatDay, longDay, readDay, type DateFormat } from '../domain/dates';
import { addDays } from '../domain/days';
import * as words from '../generated/words';
import { IconButton } from './button';
import { Calendar } from './calendar';
import { Field } from './field';
import { dateLocale, locale } from './words';

interface DateInputProps {
  label: string;
  name?: string;
  today: string;
  initial: string;
  format: DateFormat;
  error?: string | undefined;
  onChange?: (day: string | undefined) => void;
}

export function DateInput({
  label,
  name,
  today,
  initial,
  format,
  error,
  onChange,
}: DateInputProps) {
  const [typed, setTyped] = useState(formatDay(initial, format));
  const [isOpen, setOpen] = useState(false);
  const day = readDay(typed, today, format, locale());

  function choose(chosen: string): void {
    setTyped(formatDay(chosen, format));
    onChange?.(chosen);
  }

  function step(event: KeyboardEvent): void {
    const away = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (away === 0 || !day) return;
    event.preventDefault();
    choose(addDays(day, away));
  }

  const fault = day === undefined && typed !== '' ? words.dateFault({ format: formatDay(today, format) }) : undefined;
  return (
    <Field
      label={label}
      error={error ?? fault}
      hint={day ? longDay(day, today, dateLocale()) : undefined}
    >
      {(ties) => (
        <>
          <div className="within">
            <input
              {...ties}
              className="input num"
              value={typed}
              autoComplete="off"
              onKeyDown={step}
              onBlur={() => day && setTyped(formatDay(day, format))}
              onChange={(event) => {
                setTyped(event.target.value);
                onChange?.(readDay(event.target.value, today, format, locale()));
              }}
            />
            <IconButton
              icon="cal"
              label={words.dateOpen()}
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            />
          </div>
          {name ? <input type="hidden" name={name} value={day ?? ''} /> : null}
          {isOpen ? (
            <Calendar
              day={day ?? today}
              today={today}
              onChoose={(chosen) => {
                choose(chosen);
                setOpen(false);
              }}
            />
          ) : null}
        </>
      )}
    </Field>
  );
}
