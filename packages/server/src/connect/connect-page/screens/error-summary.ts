import { LocalizedText, type Text } from '../../../platform/i18n/localized-text.ts'
import type { Messages } from '../../../platform/i18n/messages.ts'
import { externalLink } from '../../../platform/ui/button.ts'
import { notice } from '../../../platform/ui/header.ts'
import { type Html, html } from '../../../platform/ui/html.ts'
import type { FormField } from '../form/form-field.ts'
import type { PageContext } from '../page/page-context.ts'

/** The feedback on a rejected form. */
export interface FormFeedback {
  readonly status: number
  /** The entered values, without secrets. */
  readonly entered: ReadonlyMap<string, string>
  /** Error messages by field name. */
  readonly fieldErrors: ReadonlyMap<string, Text | Html>
  /** A secret without an error was submitted and must be entered again, since it is not rendered into the page. */
  readonly mustReenterSecret: boolean
  /** The main error message. */
  readonly summary: Text | undefined
  /** The integration's own message. */
  readonly hint: string | undefined
  /** The error code, for the script. */
  readonly code: string | undefined
  /** The same values may be accepted later: the script keeps the entered secrets in the form. */
  readonly isTemporary?: boolean
}

interface ErrorSummaryOptions {
  readonly fields: readonly FormField[]
  readonly feedback?: FormFeedback | undefined
}

/** The error summary above a rejected form, with a link to each invalid field. It receives the focus. */
export function errorSummary(
  { messages, mode }: PageContext,
  { feedback, fields }: ErrorSummaryOptions,
): Html | string {
  if (feedback === undefined) return ''
  const isListed = feedback.code === 'validation_failed'
  const errorLines = fields.flatMap((formField) => {
    // A refused key is explained at its field.
    if (!isListed) return []
    const error = feedback.fieldErrors.get(formField.name)
    return error === undefined ? [] : [html`<br>${errorLine(formField, error)}`]
  })
  const { head, rest } = getFirstSentence(feedback.summary ?? '')
  const hint = feedback.hint === undefined ? '' : html`<br>${hintText(messages, feedback.hint)}`
  const reenterNotice = feedback.mustReenterSecret
    ? html`<span data-reenter><br>${messages.form.reenterSecrets}</span>`
    : ''
  return notice({
    kind: 'bad',
    text: html`<span data-sentence><strong>${head}</strong>${rest}</span>${hint}${errorLines}${reenterNotice}`,
    attributes: {
      role: 'alert',
      id: 'summary',
      tabindex: -1,
      // Browsers block autofocus in a frame and log that to the host's console; the script moves the focus instead.
      autofocus: mode !== 'frame',
      'data-focus': true,
    },
  })
}

/** One error line. The field's label is a link, and is prepended to messages that don't contain it. */
function errorLine({ id, label }: FormField, error: Text | Html): Html {
  const link = html`<a href="#${id}"><bdi>${label}</bdi></a>`
  if (!(error instanceof LocalizedText) || !error.values.includes(label))
    return html`${link}: ${error}`
  const { strings, values } = error
  const rendered = strings.map((part, index) => {
    const name = values[index]
    if (name === undefined) return html`${part}`
    return name === label ? html`${part}${link}` : html`${part}<bdi>${name}</bdi>`
  })
  return html`${rendered}`
}

/** Splits a message after its first sentence, which is emphasized. Names are never split. */
export function getFirstSentence(text: Text): { readonly head: Text; readonly rest: Text } {
  const { strings, values } = text instanceof LocalizedText ? text : new LocalizedText([text], [])
  const endIndex = strings.findIndex((part) => SENTENCE_END.test(part))
  const [, end = '', begin = ''] = SENTENCE_END.exec(strings[endIndex] ?? '') ?? []
  if (endIndex < 0) return { head: text, rest: '' }
  return {
    head: new LocalizedText([...strings.slice(0, endIndex), end], values.slice(0, endIndex)),
    rest: new LocalizedText([begin, ...strings.slice(endIndex + 1)], values.slice(endIndex)),
  }
}

/** The end of a sentence, and the rest. */
const SENTENCE_END = /^(.*?(?:[.؟?!](?= )|。))(.*)$/s

/**
 * Renders a message of the integration as text. An https URL in it becomes a link that shows its actual host and opens in a
 * new window.
 */
export function hintText(messages: Messages, hint: string): Html {
  const parts = hint.split(HTTPS_URL).map((piece, index) => {
    const url = index % 2 === 0 ? null : URL.parse(piece)
    if (url === null || url.username !== '' || url.password !== '') return html`${piece}`
    const label = `${url.host}${url.pathname === '/' ? '' : url.pathname}`
    return externalLink({ messages, url, label })
  })
  return html`<bdi>${parts}</bdi>`
}

/** A URL up to whitespace, without final punctuation. */
const HTTPS_URL = /(https:\/\/[^\s<>"'`\\]*[^\s<>"'`\\.,;:!?)\]])/
