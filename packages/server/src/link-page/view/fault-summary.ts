import { notice } from '../../page/components/notice.ts'
import { type Html, html } from '../../page/html.ts'
import { Phrase, type Text } from '../../page/phrase.ts'
import type { FormField } from '../form/form-field.ts'
import type { FormView } from './form-screen.ts'
import { headOf } from './head-of.ts'
import { hintText } from './hint-text.ts'
import type { Page } from './page.ts'

/** Over a form that was sent: what is wrong, each fault with a link on the name of its field. It takes the focus. */
export function faultSummary(
  { words, mode }: Page,
  { sent, fields }: Pick<FormView, 'fields' | 'sent'>,
): Html | string {
  if (sent === undefined) return ''
  const faults = fields.flatMap((one) => {
    const fault = sent.faults.get(one.name)
    return fault === undefined ? [] : [html`<br>${faultLine(one, fault)}`]
  })
  const { head, rest } = headOf(sent.sentence ?? '')
  const hint = sent.hint === undefined ? '' : html`<br>${hintText(words, sent.hint)}`
  const again = sent.isSecretGone ? html`<br>${words.form.typeAgain}` : ''
  return notice({
    kind: 'bad',
    text: html`<span data-sentence><strong>${head}</strong>${rest}</span>${hint}${faults}${again}`,
    attributes: {
      role: 'alert',
      id: 'summary',
      tabindex: -1,
      // Browsers refuse it in a frame and say so in the console of the host; the script brings the focus there.
      autofocus: mode !== 'frame',
      'data-focus': true,
    },
  })
}

/** Most sentences name the field; before the others its name is written. */
function faultLine({ id, label }: FormField, fault: Text | Html): Html {
  const link = html`<a href="#${id}"><bdi>${label}</bdi></a>`
  if (!(fault instanceof Phrase) || !fault.names.includes(label)) return html`${link}: ${fault}`
  const { words, names } = fault
  const said = words.map((part, index) => {
    const name = names[index]
    if (name === undefined) return html`${part}`
    return name === label ? html`${part}${link}` : html`${part}<bdi>${name}</bdi>`
  })
  return html`${said}`
}
