/** What the console uses of Turbo 8, which has no types of its own. */
declare module '@hotwired/turbo' {
  export const config: { readonly drive: { progressBarDelay: number } }
  export function visit(path: string): void
  export const session: { refresh(url: string): void }
}
