/** What the page shows: it changes with every state. */
export function getMainElement(): HTMLElement {
  return document.querySelector('main') ?? document.body
}
