// Files that the build turns into an address.
declare module '*.svg' {
  const address: string;
  export default address;
}
declare module '*.css';
