/** Starts the client: the language, then the user, then the screen. */
import { createRoot } from 'react-dom/client';
import {
  currentDevice,
  forget,
  knownUser,
  openDevice,
  readMe,
  remember,
  runDevice,
  type KnownUser,
} from '../api/session';
import { SessionEnded } from '../api/refusal';
import * as words from '../generated/words';
import { toast } from '../ui/toast';
import '../ui/styles.css';
import { App } from './app';
import { chosenLanguage, loadLanguage } from './languages';
import { match } from './router';
import { routes } from './routes';
import { registerWorker } from './worker';

const root = createRoot(document.getElementById('app') as HTMLElement);
const isGate = (): boolean => match(routes, location.pathname)?.route.for === 'anyone';

function toSignIn(): void {
  const wanted = location.pathname + location.search;
  location.replace(wanted === '/' ? '/sign-in' : `/sign-in?to=${encodeURIComponent(wanted)}`);
}

async function dress(user: Pick<KnownUser, 'language' | 'theme' | 'dateFormat'> | undefined): Promise<void> {
  const { dataset } = document.documentElement;
  if (!user || user.theme === 'system') delete dataset.theme;
  else dataset.theme = user.theme;
  await loadLanguage(chosenLanguage(user?.language), user?.dateFormat === 'MM/dd/yyyy');
}

/** The server's word on who is signed in; without a connection what the device knows stays. */
async function confirm(known: KnownUser | undefined): Promise<KnownUser | undefined> {
  try {
    const me = await readMe();
    // The store is one user's: another one's is deleted before anything is shown.
    if (known && known.id !== me.id) await forget();
    const user = remember(me);
    await openFor(user);
    await currentDevice()?.store.keep('me', me);
    runDevice();
    return user;
  } catch (error) {
    if (error instanceof SessionEnded) return undefined;
    setTimeout(() => void confirmAgain(known), CONFIRM_AGAIN_MS);
    return known;
  }
}

const CONFIRM_AGAIN_MS = 10_000;

/** Writes wait until the server has said who is signed in. */
async function confirmAgain(known: KnownUser | undefined): Promise<void> {
  const user = await confirm(known);
  if (!user) return toSignIn();
  if (user.id !== known?.id) location.reload();
}

async function openFor(user: KnownUser): Promise<void> {
  if (currentDevice()) return;
  await openDevice(user.id, {
    refused: (item) => toast({ text: words.writeRefused({ detail: item.refusal?.detail ?? '' }) }),
  });
}

async function begin(): Promise<void> {
  const known = knownUser();
  // Both chunks are on their way at the same time.
  void match(routes, location.pathname)?.route.load().catch(() => undefined);
  await dress(known);
  if (isGate()) return root.render(<App user={undefined} />);
  // A user who is known sees what the device has at once; the server is asked behind it.
  if (known) {
    await openFor(known);
    root.render(<App key={known.id + known.language} user={known} />);
  }
  const user = await confirm(known);
  if (!user) return toSignIn();
  if (user.language !== known?.language || user.theme !== known.theme) await dress(user);
  root.render(<App key={user.id + user.language} user={user} />);
}

void begin();
// After the first screen, so that the worker's files do not compete with it.
addEventListener(
  'load',
  () => setTimeout(() => void registerWorker().catch(() => undefined), 1_500),
);
