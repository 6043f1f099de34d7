import {
  type DefinitionPreview,
  type ExtendedIntegrationDefinition,
  isLinchpinError,
  type Linchpin,
  type LinchpinError,
  type PreviewField,
} from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { banner, facts, linkButton, panel, submitButton, tile } from '../parts/content.ts'
import { dialog } from '../parts/dialog.ts'
import { textField } from '../parts/fields.ts'
import { formatNumber } from '../parts/table.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, Page, Screen, Submission, View } from '../screen.ts'
import { type BundleSource, getMessage, readBundleSource } from './own-integration.ts'

const INTEGRATIONS = '/console/integrations'
/** Downloading takes 20 seconds at most; the response to a preview waits eight more. */
const CHANGE_MS = 40_000

/** What would another version change, and whom would it break? */
export const upgradeScreen: Screen = {
  path: '/integrations/:integrationDefinitionId/upgrade',
  show: (view) => show(view),
  actions: {
    '/preview': preview,
    '/apply': apply,
    '/rollback': rollback,
  },
  takesFiles: true,
}

interface Versions {
  readonly definition: ExtendedIntegrationDefinition
  readonly preview: DefinitionPreview | undefined
  readonly path: string
}

async function show(
  view: View,
  {
    banner: problem,
    status,
    typed,
  }: Pick<Partial<Page>, 'banner' | 'status'> & { readonly typed?: URLSearchParams } = {},
): Promise<Answer> {
  const { words, query } = view
  const definition = await view.api.definitions.get(view.params.integrationDefinitionId ?? '')
  const path = getPath(view)
  const previewId = query.get('preview') ?? typed?.get('preview')
  const found =
    previewId && !/^\.{1,2}$/.test(previewId)
      ? await findPreview(view, definition, previewId)
      : undefined
  const versions = { definition, preview: found, path }
  const expired = previewId && found === undefined
  return {
    title: words.upgrade.title(definition.name),
    section: 'integrations',
    parent: {
      href: `${INTEGRATIONS}/${definition.integrationDefinitionId}`,
      label: definition.name,
    },
    mark: tile(definition.icon, 'large'),
    actions: [rollbackDialog(view, path)],
    banner:
      problem ??
      (expired
        ? banner('warn', { title: words.upgrade.errors.preview_not_found })
        : renderBanner(view, versions)),
    main: html`<div class="columns"><div>${found === undefined ? renderChoice(view, versions, typed) : renderPreview(view, found, versions)}</div>
<aside>${panel(words.integration.version, renderVersions(view, definition))}${found === undefined ? '' : panel(words.upgrade.connections, renderCounts(view, found, path))}</aside></div>`,
    ...(status !== undefined && { status }),
  }
}

function getPath({ params }: View): string {
  return `${INTEGRATIONS}/${params.integrationDefinitionId}/upgrade`
}

async function findPreview(
  { api }: View,
  { integrationDefinitionId }: ExtendedIntegrationDefinition,
  previewId: string,
): Promise<DefinitionPreview | undefined> {
  try {
    return await api.definitions.getPreview(integrationDefinitionId, previewId)
  } catch (error) {
    if (isLinchpinError(error, 'preview_not_found')) return undefined
    throw error
  }
}

function renderVersions({ words }: View, definition: ExtendedIntegrationDefinition): Html {
  const { upgrade } = words
  return facts([
    [upgrade.current, definition.version],
    [
      upgrade.latest,
      isOwn(definition)
        ? undefined
        : definition.isLatest
          ? html`${definition.latestVersion} <span class="quiet">${upgrade.isLatest}</span>`
          : definition.latestVersion,
    ],
  ])
}

function isOwn({ releaseStage }: ExtendedIntegrationDefinition): boolean {
  return releaseStage.key === 'CUSTOM'
}

/** A catalogue integration changes to a version, an own one to another bundle. */
function renderChoice(
  view: View,
  { definition, path }: Versions,
  typed: URLSearchParams | undefined,
): Html {
  const { upgrade } = view.words
  const action = `${path}/preview`
  const fields = isOwn(definition)
    ? html`${textField({ name: 'sourceUrl', type: 'url', label: upgrade.sourceUrl, value: typed?.get('sourceUrl') ?? (definition.sourceUrl.startsWith('http') ? definition.sourceUrl : ''), isCode: true, maxLength: 2_048 })}
${textField({ name: 'bundle', type: 'file', label: upgrade.file, hint: view.words.ownIntegration.fileHint, accept: '.js,.cjs,text/javascript' })}`
    : textField({
        name: 'version',
        label: upgrade.version,
        value: typed?.get('version'),
        hint: upgrade.versionHint,
        isCode: true,
        maxLength: 50,
        placeholder: definition.latestVersion,
      })
  return panel(
    upgrade.choose,
    html`<form method="post" action="${action}" enctype="multipart/form-data" class="stack">${view.formFields(action)}<p>${upgrade.previewText}</p>${fields}
<div class="buttons">${submitButton({ text: upgrade.preview, kind: 'primary', disabledBecause: whyNot(view, 'definitions:write') })}</div></form>`,
  )
}

function renderBanner({ words }: View, { preview }: Versions): Html | undefined {
  const { upgrade } = words
  if (preview === undefined) return undefined
  if (preview.state === 'interrupted') return banner('warn', { title: upgrade.interrupted })
  const { wouldBreak } = preview.accounts
  if (wouldBreak === 0) return undefined
  return banner('bad', {
    title: upgrade.breakBanner(formatNumber(wouldBreak)),
    text: upgrade.breakText,
  })
}

function renderPreview(view: View, preview: DefinitionPreview, versions: Versions): Html {
  const { upgrade } = view.words
  const { from, to, accounts } = preview
  const changes = renderChanges(view, preview)
  return html`${panel(
    upgrade.changes(from.version, to.version),
    changes.length === 0
      ? html`<p>${upgrade.nothing}</p>`
      : html`<div class="stack">${changes}</div>`,
  )}${
    accounts.broken.length === 0
      ? ''
      : panel(
          upgrade.wouldBreak,
          html`<ul class="rows">${accounts.broken.map(({ integrationAccountId, code, error }) => html`<li><p><a href="/console/connections/${integrationAccountId}"><code>${integrationAccountId}</code></a></p><p class="quiet">${error} <a href="/docs/errors#${code}">${code}</a></p></li>`)}</ul>`,
        )
  }${renderApply(view, preview, versions)}`
}

/** What a version changes for customers and at the provider, in groups; empty if nothing. */
export function renderChanges(
  { words }: View,
  { fields, scopes, hosts, authTypes }: DefinitionPreview,
): Html[] {
  const { upgrade } = words
  const describe = ({ authType, name }: PreviewField) =>
    html`<code>${name}</code> <span class="quiet">${authType ?? upgrade.everyWay}</span>`
  const code = (text: string) => (text === '*' ? upgrade.anyHost : html`<code>${text}</code>`)
  const groups: readonly (readonly [
    string,
    readonly (readonly [Kind, readonly (Html | string)[]])[],
  ])[] = [
    [
      upgrade.authTypes,
      [
        ['added', authTypes.added],
        ['removed', authTypes.removed],
      ],
    ],
    [
      upgrade.fields,
      [
        ['added', fields.added.map(describe)],
        ['removed', fields.removed.map(describe)],
        ['changed', fields.changed.map(describe)],
        ['nowRequired', fields.nowRequired.map(describe)],
      ],
    ],
    [
      upgrade.scopes,
      [
        ['added', scopes.added.map(code)],
        ['removed', scopes.removed.map(code)],
      ],
    ],
    [
      upgrade.hosts,
      [
        ['added', hosts.added.map(code)],
        ['removed', hosts.removed.map(code)],
      ],
    ],
  ]
  return groups
    .filter(([, changes]) => changes.some(([, items]) => items.length > 0))
    .map(
      ([title, changes]) =>
        html`<div><h3>${title}</h3><ul class="rows">${changes.flatMap(([kind, items]) =>
          items.map(
            (item) =>
              html`<li class="line"><span>${item}</span><span class="tag ${kind}">${upgrade[kind]}</span></li>`,
          ),
        )}</ul></div>`,
    )
}

type Kind = 'added' | 'removed' | 'changed' | 'nowRequired'

/** How many connections would go on working. `path`: where to look again while they are checked. */
export function renderCounts(
  { words }: View,
  { previewId, state, accounts }: DefinitionPreview,
  path?: string,
): Html {
  const { upgrade } = words
  const unknown = accounts.unreachable + accounts.pending
  return html`<div class="stack">${facts([
    [upgrade.works, formatNumber(accounts.ok)],
    [upgrade.breaks, formatNumber(accounts.wouldBreak)],
    [upgrade.broken, formatNumber(accounts.alreadyBroken)],
    [upgrade.unknown, formatNumber(unknown)],
  ])}
<p class="quiet">${upgrade.checked(formatNumber(accounts.checked), formatNumber(accounts.total))}</p>
${unknown > 0 && state !== 'running' ? html`<p class="quiet">${upgrade.unknownHint}</p>` : ''}
${state === 'running' ? html`<p>${upgrade.running}</p>${path === undefined ? '' : linkButton({ text: upgrade.again, icon: 'refresh' }, `${path}?preview=${previewId}`)}` : ''}</div>`
}

/** Two clicks: the second says what happens. */
function renderApply(
  view: View,
  { previewId, to }: DefinitionPreview,
  { definition, path }: Versions,
): Html {
  const { words } = view
  const { upgrade } = words
  const action = `${path}/apply`
  const target = isOwn(definition)
    ? to.sourceUrl.startsWith('http')
      ? html`<input type="hidden" name="sourceUrl" value="${to.sourceUrl}">`
      : textField({
          name: 'bundle',
          type: 'file',
          label: upgrade.fileAgain,
          hint: upgrade.fileAgainHint,
          isRequired: true,
        })
    : html`<input type="hidden" name="version" value="${to.version}">`
  return html`<div class="buttons">${dialog({
    id: 'apply',
    trigger: {
      text: upgrade.applyTo(to.version),
      kind: 'primary',
      disabledBecause: whyNot(view, 'definitions:write'),
    },
    title: upgrade.applyTitle(to.version),
    content: html`<p>${upgrade.applyText}</p>
<form method="post" action="${action}" enctype="multipart/form-data" class="stack">${view.formFields(action)}<input type="hidden" name="preview" value="${previewId}">${target}<div class="buttons">${submitButton({ text: upgrade.apply, kind: 'primary' })}</div></form>`,
    words,
  })}${linkButton({ text: words.app.cancel }, path)}</div>`
}

function rollbackDialog(view: View, path: string): Html {
  const { words } = view
  const action = `${path}/rollback`
  return dialog({
    id: 'rollback',
    trigger: {
      text: words.upgrade.rollback,
      icon: 'history',
      disabledBecause: whyNot(view, 'definitions:write'),
    },
    title: words.upgrade.rollbackTitle,
    content: html`<p>${words.upgrade.rollbackText}</p>
<form method="post" action="${action}">${view.formFields(action)}<div class="buttons">${submitButton({ text: words.upgrade.rollback, icon: 'history', kind: 'primary' })}</div></form>`,
    words,
  })
}

async function preview(view: Submission): Promise<Answer> {
  return change(view, async (api, id) => {
    const target = readTarget(view)
    if (typeof target === 'string')
      return show(view, {
        status: 422,
        banner: banner('bad', { title: view.words.ownIntegration.errors[target] }),
        typed: view.form,
      })
    const { previewId } = await api.definitions.preview(id, target, {
      idempotencyKey: view.formId,
      timeoutMs: CHANGE_MS,
    })
    return { location: `${getPath(view)}?preview=${previewId}` }
  })
}

function apply(view: Submission): Promise<Answer> {
  return change(view, async (api, id) => {
    const target = readTarget(view)
    if (typeof target === 'string') return { location: getPath(view) }
    const { version } = await api.definitions.upgrade(id, target, {
      idempotencyKey: view.formId,
      timeoutMs: CHANGE_MS,
    })
    return { location: getPath(view), notice: view.words.upgrade.done(version) }
  })
}

function rollback(view: Submission): Promise<Answer> {
  return change(view, async (api, id) => {
    const { version } = await api.definitions.rollback(id, {}, { idempotencyKey: view.formId })
    return { location: getPath(view), notice: view.words.upgrade.rolledBack(version) }
  })
}

/** The version of a catalogue integration, or the bundle of an own one. */
function readTarget({
  form,
}: Submission): { version?: string } | BundleSource | 'both' | 'neither' {
  if (form.has('sourceUrl') || form.has('bundle')) return readBundleSource(form)
  const version = form.get('version')?.trim()
  return version === undefined || version === '' ? {} : { version }
}

/** With the rights of the elevated level if the session has them: new code of an own integration in use needs them. */
async function change(
  view: Submission,
  act: (api: Linchpin, integrationDefinitionId: string) => Promise<Answer>,
): Promise<Answer> {
  try {
    const api = (await view.openApi('elevated')) ?? view.api
    return await act(api, view.params.integrationDefinitionId ?? '')
  } catch (error) {
    if (!isLinchpinError(error)) throw error
    return explain(view, error)
  }
}

function explain(view: Submission, error: LinchpinError): Promise<Answer> {
  const { upgrade, ownIntegration } = view.words
  const { code } = error
  const todos: Readonly<Record<string, string>> = { ...ownIntegration.errors, ...upgrade.errors }
  if (code === 'insufficient_scope')
    return show(view, {
      status: 422,
      banner: banner('warn', {
        title: upgrade.failedTitle,
        text: upgrade.needsElevation,
        action: linkButton(
          {
            text: upgrade.confirm,
            kind: 'primary',
            disabledBecause: whyNot(view, 'credentials:read', 'elevated'),
          },
          `/console/elevate?to=${encodeURIComponent(getPath(view))}`,
        ),
      }),
      typed: view.form,
    })
  const todo = todos[code]
  if (todo === undefined) throw error
  return show(view, {
    status: 422,
    banner: banner('bad', { title: upgrade.failedTitle, text: html`${getMessage(error)} ${todo}` }),
    typed: view.form,
  })
}
