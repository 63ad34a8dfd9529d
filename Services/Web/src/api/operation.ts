/** One call of the API: its address, and the types of what goes in and comes out. */
export interface Shape {
  path: unknown;
  query: unknown;
  body: unknown;
  answer: unknown;
}

/** A call by its name, whatever its types. */
export interface Named {
  readonly name: string;
}

export interface Operation<Of extends Shape = Shape> {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Whether the call takes an `Idempotency-Key`. */
  readonly takesKey: boolean;
  /** Whether the call takes an `If-Match`. */
  readonly takesTag: boolean;
  /** Never set: it carries the types. */
  readonly of?: Of;
}

/** @param flags 1 takes a key, 2 takes a tag. */
export function operation<Of extends Shape>(
  name: string,
  method: string,
  path: string,
  flags = 0,
): Operation<Of> {
  return { name, method, path, takesKey: (flags & 1) !== 0, takesTag: (flags & 2) !== 0 };
}

type Part<Name extends string, Value> = undefined extends Value
  ? Value extends undefined
    ? { readonly [key in Name]?: undefined }
    : { readonly [key in Name]?: Value }
  : Record<string, never> extends Value
  ? { readonly [key in Name]?: Value }
  : { readonly [key in Name]: Value };

/** The input of a call: its path's names, its query and its body, each only if it has some. */
export type Input<Of extends Shape> = Part<'path', Of['path']> &
  Part<'query', Of['query']> &
  Part<'body', Of['body']>;

export type AnyInput = {
  readonly path?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
};

/** The address of a call, without host; the same input always gives the same text. */
export function addressOf(operation: Operation<Shape>, input: AnyInput): string {
  const names = (input.path ?? {}) as Record<string, unknown>;
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = names[name];
    if (typeof value !== 'string' || value === '') throw new Error(`${operation.name} needs ${name}`);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams();
  const given = Object.entries((input.query ?? {}) as Record<string, unknown>);
  for (const [name, value] of given.sort(([one], [other]) => (one < other ? -1 : 1))) {
    const values: unknown[] = Array.isArray(value) ? value : [value];
    for (const one of values) {
      if (one !== undefined && one !== null && one !== '') query.append(name, String(one));
    }
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}
