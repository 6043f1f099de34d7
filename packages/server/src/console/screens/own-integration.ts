import { type IntegrationDefinition, isLinchpinError, type LinchpinError } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { banner, panel, submitButton } from '../parts/content.ts'
import { textField } from '../parts/fields.ts'
import { icon } from '../parts/icons.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, Screen, Submission, View } from '../screen.ts'

const INTEGRATIONS = '/console/integrations'
const PATH = `${INTEGRATIONS}/new`
/** Downloading takes 20 seconds at most, and reading the spec some more. */
const CREATE_MS = 40_000

/** How do I add a tool that the catalogue does not have? */
export const ownIntegrationScreen: Screen = {
  path: '/integrations/new',
  show: (view) => show(view),
  actions: {
    '': create,
  },
  takesFiles: true,
}

interface Failure {
  readonly typed: URLSearchParams
  readonly message: string
  readonly todo?: string | undefined
  readonly step?: Step | undefined
  readonly errors?: LinchpinError['errors'] | undefined
}

const STEPS = ['read', 'run', 'store'] as const
type Step = (typeof STEPS)[number]

async function show(view: View, failure?: Failure): Promise<Answer> {
  const { words, api } = view
  const { ownIntegration } = words
  const definitions = await api.definitions.list().first(Number.POSITIVE_INFINITY)
  const categories = [...new Set(definitions.map(({ integrationType }) => integrationType.name))]
  return {
    title: ownIntegration.title,
    section: 'integrations',
    parent: { href: INTEGRATIONS, label: words.sections.integrations },
    ...(failure !== undefined && {
      status: 422,
      banner: banner('bad', {
        title: ownIntegration.failedTitle,
        text: html`${failure.message} ${failure.todo}`,
      }),
    }),
    main: html`<div class="steps"><p>${ownIntegration.lead} <a href="/docs/bundles">${ownIntegration.howTo}</a></p>
${failure?.step === undefined ? '' : renderSteps(view, failure.step)}
${panel(ownIntegration.form, renderForm(view, categories.toSorted(), failure))}</div>`,
  }
}

function renderForm(view: View, categories: readonly string[], failure: Failure | undefined): Html {
  const { ownIntegration } = view.words
  const value = (name: string) => failure?.typed.get(name)
  const error = (name: string) => failure?.errors?.[name]?.map(({ message }) => message).join(' ')
  return html`<form method="post" action="${PATH}" enctype="multipart/form-data" class="stack">${view.formFields(PATH)}
${textField({ name: 'name', label: ownIntegration.name, value: value('name'), error: error('name'), isRequired: true, maxLength: 100 })}
${textField({ name: 'integrationType', label: ownIntegration.category, value: value('integrationType'), hint: ownIntegration.categoryHint, error: error('integrationType'), isRequired: true, maxLength: 100, list: 'categories' })}
<datalist id="categories">${categories.map((category) => html`<option value="${category}"></option>`)}</datalist>
${textField({ name: 'sourceUrl', type: 'url', label: ownIntegration.sourceUrl, value: value('sourceUrl'), hint: ownIntegration.sourceUrlHint, error: error('sourceUrl'), isCode: true, maxLength: 2_048, placeholder: 'https://cdn.example.com/acme/index.js' })}
${textField({ name: 'bundle', type: 'file', label: ownIntegration.file, hint: ownIntegration.fileHint, error: error('bundle'), accept: '.js,.cjs,text/javascript' })}
<div class="buttons">${submitButton({ text: ownIntegration.submit, kind: 'primary', disabledBecause: whyNot(view, 'definitions:write') })}</div></form>`
}

/** How far it came: done, failed, not reached. */
function renderSteps({ words }: View, failed: Step): Html {
  const { steps, stepStates } = words.ownIntegration
  const position = STEPS.indexOf(failed)
  return html`<ol class="timeline">${STEPS.map((step, index) => {
    const [tone, name, state] =
      index < position
        ? (['good', 'check', stepStates.done] as const)
        : index === position
          ? (['bad', 'close', stepStates.failed] as const)
          : (['', 'clock', stepStates.waiting] as const)
    return html`<li class="${tone}"><span class="dot">${icon(name, 16)}</span><div><p>${steps[step]}</p><p class="quiet">${state}</p></div></li>`
  })}</ol>`
}

async function create(view: Submission): Promise<Answer> {
  const { form, words } = view
  const { errors, added } = words.ownIntegration
  const source = readBundleSource(form)
  if (source === 'both' || source === 'neither')
    return show(view, { typed: form, message: errors[source] })
  try {
    const { integrationDefinitionId } = await createDefinition(view, source)
    return { location: `${INTEGRATIONS}/${integrationDefinitionId}`, notice: added }
  } catch (error) {
    if (!isLinchpinError(error) || !Object.hasOwn(errors, error.code)) throw error
    return show(view, {
      typed: form,
      message: getMessage(error),
      todo: errors[error.code as keyof typeof errors],
      step: findStep(error),
      errors: error.errors,
    })
  }
}

/** Without the name of the field, which the form has as a label. */
export function getMessage({ message }: LinchpinError): string {
  return message.replace(/^(?:sourceUrl|bundle|name|version): /, '')
}

/** Where a form takes a bundle from: an address or a file. */
export type BundleSource = { readonly sourceUrl: string } | { readonly bundle: string }

/** The bundle of a form. */
export function readBundleSource(form: URLSearchParams): BundleSource | 'both' | 'neither' {
  const sourceUrl = form.get('sourceUrl')?.trim() ?? ''
  const bundle = form.get('bundle') ?? ''
  if (sourceUrl !== '' && bundle !== '') return 'both'
  if (bundle !== '') return { bundle }
  return sourceUrl === '' ? 'neither' : { sourceUrl }
}

function createDefinition(
  { api, form, formId }: Submission,
  source: BundleSource,
): Promise<IntegrationDefinition> {
  return api.definitions.create(
    {
      ...source,
      name: form.get('name')?.trim() ?? '',
      integrationType: form.get('integrationType')?.trim() ?? '',
    },
    { idempotencyKey: formId, timeoutMs: CREATE_MS },
  )
}

/** The step at which creating a definition ended; undefined if it did not begin. */
function findStep({ code }: LinchpinError): Step | undefined {
  switch (code) {
    case 'source_url_forbidden':
    case 'source_unreachable':
    case 'source_too_large':
    case 'body_too_large':
      return 'read'
    case 'bundle_invalid':
    case 'integration_timeout':
      return 'run'
    case 'already_exists':
      return 'store'
    default:
      return undefined
  }
}
