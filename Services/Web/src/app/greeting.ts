import * as words from '../generated/words';

/** Greets by the hour, with the first name. */
export function greeting(user: string): string {
  const name = user.split(' ')[0] ?? user;
  const hour = new Date().getHours();
  if (hour >= 5 && hour < 12) return words.greetMorning({ name });
  return hour >= 12 && hour < 18 ? words.greetDay({ name }) : words.greetEvening({ name });
}
