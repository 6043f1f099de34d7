import { type Html, html } from '../html.ts'

/** The buttons of a screen, primary first. On phones they stick to the bottom edge. */
export function actions(...buttons: readonly (Html | undefined)[]): Html {
  return html`<div class="actions">${buttons.filter((one) => one !== undefined)}</div>`
}
