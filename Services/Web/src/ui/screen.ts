/** The props that the router gives a screen. */
export interface ScreenProps {
  /** The names in the path: `/accounts/{id}` gives `id`. */
  readonly params: Readonly<Record<string, string>>;
  /** Filters and place: a screen's address restores it. */
  readonly query: URLSearchParams;
  /** Goes to another address; `replace` changes filters without a step for Back. */
  readonly go: (to: string, options?: { replace?: boolean }) => void;
}
