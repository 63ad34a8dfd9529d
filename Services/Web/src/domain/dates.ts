/** Writes and reads days in the user's own format. */
import { addDays, addMonths, dayOf, daysSince1970, weekday } from './days';

export type DateFormat =
  | 'yyyy-MM-dd' | 'yyyy/MM/dd' | 'dd/MM/yyyy' | 'dd.MM.yyyy' | 'dd-MM-yyyy' | 'MM/dd/yyyy';

/** The format that a language writes, for users who have chosen none. */
export function formatOfLanguage(language: string): DateFormat {
  return language === 'de' || language === 'ro' ? 'dd.MM.yyyy' : 'dd/MM/yyyy';
}

export function formatDay(day: string, format: DateFormat): string {
  const [year = '', month = '', date = ''] = day.split('-');
  return format.replace('yyyy', year).replace('MM', month).replace('dd', date);
}

/** Today, yesterday and tomorrow in words; the weekday within the last week; then the date. */
export function relativeDay(day: string, today: string, locale: string): string {
  const away = daysSince1970(day) - daysSince1970(today);
  if (Math.abs(away) <= 1) {
    const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(away, 'day');
    return words.charAt(0).toLocaleUpperCase(locale) + words.slice(1);
  }
  if (away < 0 && away > -7) return written(day, locale, { weekday: 'long' });
  const isSameYear = day.slice(0, 4) === today.slice(0, 4);
  return written(day, locale, {
    day: 'numeric',
    month: 'short',
    ...(isSameYear ? {} : { year: 'numeric' }),
  });
}

/** «Friday 27 November», with the year when it is another one. */
export function longDay(day: string, today: string, locale: string): string {
  const isSameYear = day.slice(0, 4) === today.slice(0, 4);
  return written(day, locale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(isSameYear ? {} : { year: 'numeric' }),
  });
}

export const monthName = (day: string, locale: string): string =>
  written(day, locale, { month: 'long' });

function written(day: string, locale: string, options: Intl.DateTimeFormatOptions): string {
  const date = new Date(daysSince1970(day) * 86_400_000);
  const text = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).format(date);
  return text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);
}

/**
 * Reads a typed day: «today», «yesterday» (in the language), «-3», «12», «12/11», «12.11.25», or a
 * whole date in the user's format or as ISO 8601. A day without a year is the one nearest in the
 * past, or within the next half year.
 */
export function readDay(
  text: string,
  today: string,
  format: DateFormat,
  locale: string,
): string | undefined {
  const typed = text.trim().toLocaleLowerCase(locale);
  if (typed === '') return undefined;
  const near = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  for (const away of [0, -1, 1]) {
    if (near.format(away, 'day').toLocaleLowerCase(locale) === typed) return addDays(today, away);
  }
  if (/^[+-]\d{1,4}$/.test(typed)) return addDays(today, Number(typed));
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(typed);
  if (iso) return checked(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const numbers = typed.split(/[-/.\s]+/).filter((part) => part !== '');
  if (numbers.length > 3 || !numbers.every((part) => /^\d{1,4}$/.test(part))) return undefined;
  return fromNumbers(numbers.map(Number), today, format.startsWith('MM'));
}

function fromNumbers(numbers: number[], today: string, isMonthFirst: boolean): string | undefined {
  const [year = 0, month = 1] = today.split('-').map(Number);
  if (numbers.length === 1) return nearest(
    (shift) => monthDay(year, month + shift, numbers[0] ?? 0),
    today,
  );
  const [first = 0, second = 0, third] = numbers;
  const [date, typedMonth] = isMonthFirst ? [second, first] : [first, second];
  if (third !== undefined) {
    return checked(third < 100 ? century(third, year) : third, typedMonth, date);
  }
  return nearest((shift) => checked(year + shift, typedMonth, date), today);
}

const century = (short: number, year: number): number => {
  const whole = Math.floor(year / 100) * 100 + short;
  return whole > year + 20 ? whole - 100 : whole;
};

/** This one unless it is more than half a year ahead, then the one before. */
function nearest(of: (shift: number) => string | undefined, today: string): string | undefined {
  const here = of(0);
  return here !== undefined && daysSince1970(here) - daysSince1970(today) > 183 ? of(-1) : here;
}

function monthDay(year: number, month: number, date: number): string | undefined {
  const first = addMonths(`${year}-01-01`, month - 1);
  return checked(Number(first.slice(0, 4)), Number(first.slice(5, 7)), date);
}

function checked(year: number, month: number, date: number): string | undefined {
  if (year < 1 || month < 1 || month > 12 || date < 1 || date > 31) return undefined;
  const days = Math.round(Date.UTC(year, month - 1, date) / 86_400_000);
  const day = dayOf(days);
  return Number(day.slice(5, 7)) === month && Number(day.slice(0, 4)) === year ? day : undefined;
}

/** The days that a month's page shows: whole weeks, beginning on Monday. */
export function monthGrid(day: string): string[] {
  const first = `${day.slice(0, 7)}-01`;
  const start = addDays(first, 1 - weekday(first));
  const weeks = Math.ceil((weekday(first) - 1 + Number(addDays(addMonths(first, 1), -1).slice(8))) / 7);
  return Array.from({ length: weeks * 7 }, (_, index) => addDays(start, index));
}
