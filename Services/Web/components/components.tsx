/** Every component in all its states: a page of the build for tests, not one that ships. */
import { createRoot } from 'react-dom/client';
import { Toasts } from '../src/ui/toast';
import { chosenLanguage, loadLanguage } from '../src/app/languages';
import '../src/ui/styles.css';
import './components.css';
import { ChartSamples } from './charts';
import { FormSamples } from './forms';
import { LongList } from './list';
import { MoneySamples } from './money';
import { DialogSample, StateSamples } from './states';

async function begin(): Promise<void> {
  const query = new URLSearchParams(location.search);
  const theme = query.get('theme');
  if (theme) document.documentElement.dataset.theme = theme;
  await loadLanguage(chosenLanguage(query.get('language') ?? 'en'));
  const open = query.get('open');
  createRoot(document.getElementById('app') as HTMLElement).render(
    <div className="app samples">
      <header className="top"><h1>Components</h1></header>
      <main id="main">
        {query.has('long') ? (
          <LongList count={Number(query.get('long'))} />
        ) : (
          <>
            <MoneySamples />
            <FormSamples />
            <ChartSamples />
            <StateSamples />
          </>
        )}
      </main>
      <Toasts />
      {open ? <DialogSample kind={open} /> : null}
    </div>,
  );
}

void begin();
