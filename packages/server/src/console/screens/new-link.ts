import { isLinchpinError, type ListedIntegrationDefinition } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { submitButton } from '../parts/content.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, Screen, Submission, View } from '../screen.ts'
import {
  type FormErrors,
  findLinkErrors,
  type LinkChoices,
  type LinkValues,
  readLinkValues,
  renderLimits,
  renderName,
  renderOffer,
  toFormErrors,
  toNewLink,
} from './link-form.ts'

const PATH = '/console/links/new'

/** A link, beside the page that customers will see. */
export const newLinkScreen: Screen = {
  path: '/links/new',
  show: (view) => show(view, readLinkValues(view.query), {}),
  actions: { '': create },
}

async function show(view: View, values: LinkValues, errors: FormErrors): Promise<Answer> {
  const { words, api } = view
  const definitions = await api.definitions.list().first(1_000)
  const hasErrors = Object.keys(errors).length > 0
  const button = submitButton({
    text: words.linkForm.create,
    kind: 'primary',
    disabledBecause: whyNot(view, 'links:write'),
  })
  return {
    title: words.links.create,
    section: 'links',
    parent: { href: '/console/links', label: words.sections.links },
    ...(hasErrors && { status: 422 }),
    main: html`<div class="beside"><form method="post" action="${PATH}" class="stack" id="link-form" novalidate>${view.formFields(PATH)}
${renderName(values, words, errors)}${renderOffer(values, toChoices(definitions), words, errors)}
${renderLimits(values, words, errors)}<div class="buttons">${button}</div></form>
${renderPreviewPanel(view, values)}</div>`,
  }
}

/** What a link can offer. */
export function toChoices(definitions: readonly ListedIntegrationDefinition[]): LinkChoices {
  const categories = new Map(
    definitions.map(({ integrationType: { key, name } }) => [key, { value: key, label: name }]),
  )
  const byLabel = (one: { label: string }, other: { label: string }) =>
    one.label.localeCompare(other.label, 'en')
  return {
    categories: [...categories.values()].toSorted(byLabel),
    integrations: definitions
      .map(({ integrationDefinitionId, name, icon }) => ({
        value: integrationDefinitionId,
        label: name,
        icon,
      }))
      .toSorted(byLabel),
  }
}

/** The settings that a preview shows; the others do not change how the page looks. */
export function toPreviewParams(values: LinkValues): URLSearchParams {
  const params = new URLSearchParams({ offer: values.offer })
  if (values.offer === 'categories')
    for (const key of values.categories) params.append('categories', key)
  if (values.offer === 'integrations')
    for (const id of values.integrations) params.append('integrations', id)
  if (values.preferOAuth) params.set('preferOAuth', 'on')
  return params
}

/** The connect page in a frame, with its device, theme and language. The script follows what is typed. */
export function renderPreviewPanel({ words }: View, values: LinkValues): Html {
  const { linkForm, app } = words
  return html`<section class="preview" aria-label="${linkForm.preview}"><form action="/console/preview/link" target="link-preview" class="filters" data-turbo="false" data-preview-form>
${[...toPreviewParams(values)].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<fieldset class="devices"><legend class="unseen">${linkForm.device}</legend>${(['phone', 'desktop'] as const).map((device) => html`<label><input type="radio" name="device" value="${device}"${device === 'phone' ? html` checked` : ''}><span>${linkForm.devices[device]}</span></label>`)}</fieldset>
<label><span class="unseen">${linkForm.theme}</span><select name="theme">${(['system', 'light', 'dark'] as const).map((theme) => html`<option value="${theme}">${app.themes[theme]}</option>`)}</select></label>
<label><span class="unseen">${linkForm.language}</span><select name="lang">${LANGUAGE_NAMES.map(([tag, name]) => html`<option value="${tag}">${name}</option>`)}</select></label>
<button class="button" data-preview-button>${linkForm.preview}</button></form>
<div class="stage"><iframe name="link-preview" title="${linkForm.preview}" src="/console/preview/link?${toPreviewParams(values)}" sandbox="allow-same-origin"></iframe></div>
<p class="quiet">${linkForm.previewNote}</p></section>`
}

/** The languages of the connect page, in their own words. */
const LANGUAGE_NAMES = [
  ['en', 'English'],
  ['de', 'Deutsch'],
  ['fr', 'Français'],
  ['es', 'Español'],
  ['it', 'Italiano'],
  ['pt', 'Português'],
  ['ja', '日本語'],
  ['ar', 'العربية'],
] as const

async function create(view: Submission): Promise<Answer> {
  const { api, words, form, formId } = view
  const values = readLinkValues(form)
  const errors = findLinkErrors(values, words)
  if (Object.keys(errors).length > 0) return show(view, values, errors)
  try {
    const { linkId } = await api.links.create(toNewLink(values), { idempotencyKey: formId })
    return { location: `/console/links/${linkId}`, notice: words.links.made }
  } catch (error) {
    if (!isLinchpinError(error) || error.status !== 400) throw error
    return show(view, values, toFormErrors(error, values.scopes))
  }
}
