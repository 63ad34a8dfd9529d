/** Calendar days as `YYYY-MM-DD`, without time zones once «today» is known. */
const DAY_MS = 86_400_000;

export function daysSince1970(day: string): number {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day);
  if (!match) throw new RangeError(`no day: ${day}`);
  const time = Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]));
  const days = Math.round(time / DAY_MS);
  if (dayOf(days) !== day) throw new RangeError(`no day: ${day}`);
  return days;
}

export const dayOf = (daysSince: number): string =>
  new Date(daysSince * DAY_MS).toISOString().slice(0, 10);

export const addDays = (day: string, count: number): string => dayOf(daysSince1970(day) + count);

/** The same day so many months later, or the month's last day. */
export function addMonths(day: string, count: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const last = new Date(Date.UTC(year, month - 1 + count + 1, 0)).getUTCDate();
  return new Date(Date.UTC(
    year,
    month - 1 + count,
    Math.min(date, last),
  )).toISOString().slice(0, 10);
}

/** Today where the user is. */
export function today(timeZone: string, now: Date = new Date()): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(now);
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  return `${of('year')}-${of('month')}-${of('day')}`;
}

/** 1 is Monday, 7 is Sunday. */
export const weekday = (day: string): number => ((((daysSince1970(day) + 3) % 7) + 7) % 7) + 1;
