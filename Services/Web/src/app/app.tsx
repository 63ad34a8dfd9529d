/** Chooses the screen of an address, and draws it within the shell. */
import {
  lazy,
  Suspense,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
  type ComponentType,
} from 'react';
import { client, currentDevice, type KnownUser } from '../api/session';
import { StepUp } from '../features/gate/StepUp';
import * as words from '../generated/words';
import { Link, Navigate } from '../ui/link';
import type { ScreenProps } from '../ui/screen';
import { Empty, Skeleton } from '../ui/states';
import { Boundary } from './boundary';
import { useKeys, type Keys } from './keys';
import { sidePlaces } from './places';
import { address, go, match, subscribe, type Match, type Route } from './router';
import { routes } from './routes';
import { SessionEndedDialog } from './session-ended';
import { Shell } from './shell';
import { answerProof, askForProof, useIsProofAsked } from './step-up';

const screens = new Map<Route, ComponentType<ScreenProps>>();

function screenOf(route: Route): ComponentType<ScreenProps> {
  let screen = screens.get(route);
  if (!screen) screens.set(route, (screen = lazy(route.load)));
  return screen;
}

const keys: Keys = {
  n: () => go('/transactions/new'),
  ...Object.fromEntries(sidePlaces.flatMap((place) => (place.key ? [[
    `g ${place.key}`,
    () => go(place.to),
  ]] : []))),
};

export function App({ user }: { user: KnownUser | undefined }) {
  const at = useSyncExternalStore(subscribe, address);
  const [isEnded, setEnded] = useState(false);
  useEffect(() => {
    client.onSessionEnded = () => {
      currentDevice()?.queue.hold();
      setEnded(true);
    };
    client.stepUp = askForProof;
  }, []);
  useKeys(keys);
  const isProofAsked = useIsProofAsked();
  const [path = '/', search = ''] = useMemo(() => at.split('?'), [at]);
  const found = match(routes, path);
  const query = useMemo(() => new URLSearchParams(search), [search]);
  useArrival(found, path);
  const isGate = found?.route.for === 'anyone';
  if (!user && !isGate) return null;
  return (
    <Navigate.Provider value={go}>
      {isGate && found ? (
        <Boundary key={path}>
          <Suspense fallback={null}><Screen found={found} query={query} /></Suspense>
        </Boundary>
      ) : (
        <Inside found={found} path={path} query={query} userName={user?.name ?? ''} />
      )}
      {isProofAsked ? <StepUp onDone={answerProof} /> : null}
      {isEnded && !isGate ? <SessionEndedDialog onDone={() => setEnded(false)} /> : null}
    </Navigate.Provider>
  );
}

interface InsideProps {
  found: Match | undefined;
  path: string;
  query: URLSearchParams;
  userName: string;
}

/** A sheet is drawn over the screen it belongs to, which stays as it is. */
function Inside({ found, path, query, userName }: InsideProps) {
  const over = found?.route.over;
  const under = over ? match(routes, over) : found;
  return (
    <Shell
      path={over ?? path}
      title={under ? (under.route.heading ?? under.route.title)(userName) : words.titleGone()}
      userName={userName}
    >
      <Boundary key={over ?? path}>
        <Suspense fallback={<Skeleton />}>
          {under ? <Screen found={under} query={over ? noQuery : query} /> : <Gone />}
        </Suspense>
      </Boundary>
      {over && found ? (
        <Boundary key="over">
          <Suspense fallback={null}><Screen found={found} query={query} /></Suspense>
        </Boundary>
      ) : null}
    </Shell>
  );
}

const noQuery = new URLSearchParams();

function Screen({ found, query }: { found: Match; query: URLSearchParams }) {
  const Chosen = screenOf(found.route);
  return <Chosen params={found.params} query={query} go={go} />;
}

/** Forbidden and gone look alike: who has no right learns nothing. */
function Gone() {
  return (
    <Empty icon="search" action={<Link className="btn line small" to="/">{words.goneHome()}</Link>}>
      {words.gone()}
    </Empty>
  );
}

/** A new page is announced by its title, its heading has the focus, and Back finds its place again. */
function useArrival(found: Match | undefined, path: string): void {
  const isOver = found?.route.over !== undefined;
  useEffect(() => {
    document.title = `${found?.route.title() ?? words.titleGone()} · EZWallet`;
    if (isOver) return;
    const { scroll } = (history.state ?? {}) as { scroll?: number };
    scrollTo(0, scroll ?? 0);
    if (!isFirst) document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
    isFirst = false;
  }, [path, isOver]);
}

let isFirst = true;
