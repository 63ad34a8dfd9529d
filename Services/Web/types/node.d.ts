// Declares the part of node that the tests use; Debian has no types of it.
declare module 'node:test' {
  type Body = () => void | Promise<void>;
  export function test(name: string, body: Body): Promise<void>;
}
declare module 'node:assert/strict' {
  function equal(actual: unknown, expected: unknown, message?: string): void;
  function deepEqual(actual: unknown, expected: unknown, message?: string): void;
  function ok(value: unknown, message?: string): asserts value;
  function throws(body: () => unknown, expected?: RegExp): void;
  function rejects(
    promise: Promise<unknown>,
    expected?: (error: unknown) => boolean,
  ): Promise<void>;
  const assert: {
    equal: typeof equal;
    deepEqual: typeof deepEqual;
    ok(value: unknown, message?: string): void;
    throws: typeof throws;
    rejects: typeof rejects;
  };
  export default assert;
}
declare module 'node:fs' {
  export function readFileSync(path: string, encoding: 'utf8'): string;
  export function readdirSync(path: string): string[];
  export function statSync(path: string): { isDirectory(): boolean };
}
declare module 'node:path' {
  export function join(...parts: string[]): string;
  export function dirname(path: string): string;
}
declare const process: { env: Record<string, string | undefined>; cwd(): string };
