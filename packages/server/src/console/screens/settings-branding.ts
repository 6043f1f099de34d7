import type { WorkspaceSettings } from '@linchpin/sdk'
import { type AccentColours, toContrastSafeAccent } from '../../platform/ui/branding.ts'
import { type Html, html } from '../../platform/ui/html.ts'
import { panel, submitButton } from '../parts/content.ts'
import { areaField, textField } from '../parts/fields.ts'
import { type FormErrors, formBanner, toFormErrors } from '../parts/form-errors.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, Page, Screen, Submission, View } from '../screen.ts'
import { settingsTabs } from './settings-tabs.ts'
import { readWorkspace } from './settings-workspace.ts'

const PATH = '/console/settings/branding'
type Theme = WorkspaceSettings['theme']
const URLS = ['logoUrl', 'privacyUrl', 'termsUrl'] as const
const TEXTS = ['introduction', 'success', 'support'] as const

interface Values {
  readonly accentColor: string
  readonly cornerRadius: string
  readonly showFooter: boolean
  readonly urls: Readonly<Record<(typeof URLS)[number], string>>
  readonly texts: Readonly<Record<(typeof TEXTS)[number], string>>
}

const FIELDS = [
  'theme.accentColor',
  'theme.cornerRadius',
  ...URLS.map((name) => `theme.${name}`),
  ...TEXTS.map((name) => `theme.texts.${name}`),
]

/** How do our pages look to customers? */
export const brandingScreen: Screen = {
  path: '/settings/branding',
  async show(view) {
    const { theme, name } = await readWorkspace(view)
    return showForm(view, name, readTheme(theme))
  },
  actions: { '': save },
}

function readTheme(theme: Theme): Values {
  return {
    accentColor: theme.accentColor ?? '',
    cornerRadius: theme.cornerRadius === undefined ? '' : `${theme.cornerRadius}`,
    showFooter: theme.showFooter ?? true,
    urls: {
      logoUrl: theme.logoUrl ?? '',
      privacyUrl: theme.privacyUrl ?? '',
      termsUrl: theme.termsUrl ?? '',
    },
    texts: {
      introduction: theme.texts?.introduction?.default ?? '',
      success: theme.texts?.success?.default ?? '',
      support: theme.texts?.support?.default ?? '',
    },
  }
}

function showForm(view: View, name: string, values: Values, errors?: FormErrors): Page {
  const { words } = view
  const { branding } = words.settings
  const error = errors?.fields ?? {}
  return {
    title: words.sections.settings,
    section: 'settings',
    status: errors === undefined ? 200 : 422,
    tabs: settingsTabs('branding', words),
    banner: formBanner(errors),
    main: html`<div class="columns"><form method="post" action="${PATH}" class="stack">${view.formFields(PATH)}
${textField({ name: 'accentColor', label: branding.accent, hint: branding.accentHint, value: values.accentColor, error: error['theme.accentColor'], isCode: true, placeholder: '#2f5bd8', maxLength: 7 })}
${textField({ name: 'cornerRadius', label: branding.radius, hint: branding.radiusHint, value: values.cornerRadius, error: error['theme.cornerRadius'], placeholder: '14', maxLength: 2 })}
${URLS.map((each) => textField({ name: each, label: branding.urls[each], value: values.urls[each], error: error[`theme.${each}`], type: 'url', maxLength: 2_048 }))}
${TEXTS.map((each) => areaField({ name: each, label: branding.texts[each], hint: branding.textHints[each], value: values.texts[each], error: error[`theme.texts.${each}`], rows: 2, maxLength: 300 }))}
<label class="choice"><input type="checkbox" name="showFooter" value="1"${values.showFooter ? html` checked` : ''}><span><b>${branding.footer}</b><small>${branding.footerHint}</small></span></label>
<div class="buttons">${submitButton({ text: words.app.save, kind: 'primary', disabledBecause: whyNot(view, 'workspace:write') })}</div></form>
<aside class="after">${panel(branding.colours, renderColours(view, values.accentColor))}${panel(branding.whatCustomersSee, renderSummary(view, name, values))}</aside></div>`,
  }
}

/** The accent as the pages use it in both themes, which may differ from the one that was entered. */
function renderColours({ words }: View, accent: string): Html {
  const { branding } = words.settings
  const { light, dark } = toContrastSafeAccent(accent === '' ? undefined : accent)
  const isAdjusted =
    accent !== '' &&
    [light, dark].some(({ fill, text }) => [fill, text].some((one) => one !== accent.toLowerCase()))
  return html`<div class="stack"><p class="quiet">${accent === '' ? branding.standard : isAdjusted ? branding.adjusted : branding.unchanged}</p>
${swatch(branding.light, light, '#ffffff', branding.sample)}${swatch(branding.dark, dark, '#181c23', branding.sample)}</div>`
}

/** A button and a link on the card of a theme. Attributes of SVG instead of styles, which the policy forbids. */
function swatch(
  name: string,
  { fill, onFill, text }: AccentColours,
  card: string,
  sample: string,
): Html {
  return html`<figure class="swatch"><svg viewBox="0 0 320 72" role="img" aria-label="${name}: ${fill}, ${text}"><rect width="320" height="72" rx="8" fill="${card}" stroke="#858d9c"/><rect x="16" y="16" width="140" height="40" rx="6" fill="${fill}"/><text x="86" y="41" text-anchor="middle" font-size="14" font-weight="500" fill="${onFill}">${sample}</text><text x="180" y="41" font-size="14" fill="${text}">${text}</text></svg><figcaption><span>${name}</span> <code>${fill}</code></figcaption></figure>`
}

function renderSummary({ words }: View, name: string, values: Values): Html {
  const { branding } = words.settings
  const lines = [
    name === '' ? branding.noName : branding.named(name),
    values.urls.logoUrl === '' ? branding.noLogo : branding.logo,
    values.urls.privacyUrl === '' && values.urls.termsUrl === ''
      ? branding.noPolicies
      : branding.policies,
    values.showFooter ? branding.withFooter : branding.withoutFooter,
    ...(values.texts.introduction === '' ? [] : [branding.says(values.texts.introduction)]),
  ]
  return html`<ul class="lines">${lines.map((line) => html`<li>${line}</li>`)}</ul>`
}

async function save(view: Submission): Promise<Answer> {
  const { api, form, formId, session, words } = view
  const values = readValues(form)
  const workspace = await readWorkspace(view)
  try {
    const update = { theme: toTheme(values, workspace.theme) }
    const options = { idempotencyKey: formId }
    await api.workspaces.update(session.membership.workspaceId, update, options)
    return { location: PATH, notice: words.app.saved }
  } catch (error) {
    return showForm(view, workspace.name, values, toFormErrors(error, FIELDS))
  }
}

function readValues(form: URLSearchParams): Values {
  const read = (name: string) => form.get(name)?.trim() ?? ''
  return {
    accentColor: read('accentColor'),
    cornerRadius: read('cornerRadius'),
    showFooter: form.has('showFooter'),
    urls: {
      logoUrl: read('logoUrl'),
      privacyUrl: read('privacyUrl'),
      termsUrl: read('termsUrl'),
    },
    texts: {
      introduction: read('introduction'),
      success: read('success'),
      support: read('support'),
    },
  }
}

/** The theme is replaced as a whole, so translations, which the form does not have, are carried over. */
function toTheme({ accentColor, cornerRadius, showFooter, urls, texts }: Values, former: Theme) {
  const given = <T extends object>(fields: T): Partial<T> =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '')) as Partial<T>
  const ownTexts = TEXTS.flatMap((name) =>
    texts[name] === '' ? [] : [[name, { ...former.texts?.[name], default: texts[name] }]],
  )
  return {
    ...given({ accentColor, ...urls }),
    showFooter,
    ...(cornerRadius !== '' && { cornerRadius: Number(cornerRadius) }),
    ...(ownTexts.length > 0 && { texts: Object.fromEntries(ownTexts) }),
  }
}
