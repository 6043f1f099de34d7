import { type Html, html } from '../../platform/ui/html.ts'
import type { Words } from '../words/en.ts'
import { type ButtonOptions, submitButton } from './content.ts'
import { icon } from './icons.ts'

export interface DialogOptions {
  /** Unique on the page. */
  readonly id: string
  readonly trigger: ButtonOptions
  readonly title: string
  readonly content: Html
  readonly words: Words
}

/** A button, and the dialog that it opens. Without the script it is a disclosure on the page. */
export function dialog({ id, trigger, title, content, words }: DialogOptions): Html {
  if (trigger.disabledBecause !== undefined) return submitButton(trigger)
  return html`<details class="dialog-host" id="${id}"><summary class="button ${trigger.kind}">${trigger.icon === undefined ? '' : icon(trigger.icon, 16)}<span>${trigger.text}</span></summary>
<div class="dialog" role="dialog" aria-modal="true" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${content}<button type="button" class="close" data-close aria-label="${words.app.close}" hidden>${icon('close', 16)}</button></div></details>`
}
