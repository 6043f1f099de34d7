import { type Html, html } from '../../platform/ui/html.ts'
import type { Words } from '../words/en.ts'
import { type ButtonOptions, submitButton } from './content.ts'

export interface PasskeyForm {
  readonly action: string
  /** The hidden fields, and those that a person fills in. */
  readonly fields: Html
  /** The options of the browser's call, as JSON. */
  readonly options: string
  readonly kind: 'create' | 'get'
  readonly submit: ButtonOptions
  /** Whether its button is as wide as the form. */
  readonly isWide?: boolean
  readonly error?: string | undefined
  readonly words: Words
}

/** A form that the browser's passkey fills in. Without the script, or in a browser without passkeys, it says so. */
export function passkeyForm(form: PasskeyForm): Html {
  const { action, fields, options, kind, submit, isWide, error, words } = form
  const { passkeys } = words
  return html`<form method="post" action="${action}" class="stack" data-passkey="${kind}" data-options="${options}" data-cancelled="${passkeys.cancelled}" data-known="${passkeys.known}">${fields}<input type="hidden" name="response" value="">
<div data-passkey-part hidden class="${isWide ? 'stack' : 'buttons'}">${submitButton(submit)}</div>
<p class="quiet" data-passkey-missing>${passkeys.missing}</p>
<p class="error" role="alert" data-passkey-error${error === undefined ? html` hidden` : ''}>${error ?? ''}</p></form>`
}
