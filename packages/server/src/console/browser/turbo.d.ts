/** What the console uses of Turbo 8, which has no types of its own. */
declare module '@hotwired/turbo' {
  export const config: { readonly drive: { progressBarDelay: number } }
  export function visit(path: string): void
  /** Its `refresh` is the same 150 ms later. */
  export const session: { debouncedRefresh(url: string): void }
}
