/** What the page shows: it changes with every state. */
export function mainOf(): HTMLElement {
  return document.querySelector('main') ?? document.body
}
