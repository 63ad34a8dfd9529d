/** The frame of every screen: sidebar, bar, head, offline line, toasts. */
import { useState, type ReactNode } from 'react';
import { useOnline, useWaiting } from '../api/react';
import * as words from '../generated/words';
import { Icon, Face } from '../ui/icon';
import { Link } from '../ui/link';
import { Logo } from '../ui/guilloche';
import { OfflineLine } from '../ui/states';
import { Toasts } from '../ui/toast';
import { dateLocale } from '../ui/words';
import { barPlaces, sidePlaces } from './places';
import { ProfileMenu } from './profile';

interface ShellProps {
  path: string;
  title: string;
  userName: string;
  children: ReactNode;
}

const isAt = (to: string, path: string): boolean => (to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`));

export function Shell({ path, title, userName, children }: ShellProps) {
  const [isMenu, setMenu] = useState(false);
  const isOnline = useOnline();
  const waiting = useWaiting().length;
  const open = () => setMenu(true);
  return (
    <div className="app">
      <a className="skip" href="#main">{words.skip()}</a>
      <Side path={path} userName={userName} onMenu={open} />
      {isOnline ? null : <OfflineLine since={now()} waiting={waiting} />}
      <header className="top">
        <h1 tabIndex={-1}>{title}</h1>
        <button
          type="button"
          className="round only-phone"
          aria-label={words.profileOpen()}
          onClick={open}
        >
          <Face name={userName} />
        </button>
      </header>
      <main id="main">{children}</main>
      <Bar path={path} />
      <Toasts />
      {isMenu ? <ProfileMenu userName={userName} onClose={() => setMenu(false)} /> : null}
    </div>
  );
}

const now = () => new Intl.DateTimeFormat(dateLocale(), { timeStyle: 'short' }).format(new Date());

function Side({ path, userName, onMenu }: { path: string; userName: string; onMenu: () => void }) {
  return (
    <nav className="side" aria-label={words.navMain()}>
      <Link className="brand" to="/"><Logo /> EZWallet</Link>
      <Link className="btn" to="/transactions/new"><Icon name="plus" /> {words.navAdd()}</Link>
      {sidePlaces.map((place) => (
        <Link key={place.to} to={place.to} aria-current={isAt(place.to, path) ? 'page' : undefined}>
          <Icon name={place.icon} /> {place.name()}
        </Link>
      ))}
      <button type="button" className="me" onClick={onMenu}>
        <Face name={userName} size="s" /> {userName}
      </button>
    </nav>
  );
}

function Bar({ path }: { path: string }) {
  const half = Math.ceil(barPlaces.length / 2);
  const place = (one: (typeof barPlaces)[number]) => (
    <Link key={one.to} to={one.to} aria-current={isAt(one.to, path) ? 'page' : undefined}>
      <Icon name={one.icon} />
      {one.name()}
    </Link>
  );
  return (
    <nav className="bar" aria-label={words.navPhone()}>
      {barPlaces.slice(0, half).map(place)}
      <Link className="add" to="/transactions/new" aria-label={words.navAdd()}>
        <Icon name="plus" />
      </Link>
      {barPlaces.slice(half).map(place)}
    </nav>
  );
}
