/** The languages of the client; each is a chunk that is loaded alone. */
import { speak, type Text } from '../ui/words';

const loaders: Readonly<Record<string, () => Promise<{ texts: readonly Text[] }>>> = {
  en: () => import('../generated/words.en'),
  it: () => import('../generated/words.it'),
  de: () => import('../generated/words.de'),
  fr: () => import('../generated/words.fr'),
  es: () => import('../generated/words.es'),
  ro: () => import('../generated/words.ro'),
};

/** The user's language, else the browser's first that we speak, else English. */
export function chosenLanguage(wanted: string | undefined): string {
  const all = [wanted ?? '', ...navigator.languages].map((tag) => tag.split('-')[0] ?? '');
  return all.find((language) => language in loaders) ?? 'en';
}

export async function loadLanguage(language: string, isMonthFirst = false): Promise<void> {
  const load = loaders[language] ?? loaders.en;
  if (!load) return;
  speak(language, (await load()).texts, isMonthFirst);
  document.documentElement.lang = language;
}
