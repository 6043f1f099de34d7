import { isLinchpinError, type Linchpin, type WorkspaceSettings } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { copyable, facts, panel, submitButton } from '../parts/content.ts'
import { dialog } from '../parts/dialog.ts'
import { areaField, textField } from '../parts/fields.ts'
import { type FormErrors, formBanner, readLines, toFormErrors } from '../parts/form-errors.ts'
import { exactTime } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, Page, Screen, Submission, View } from '../screen.ts'
import { settingsTabs } from './settings-tabs.ts'

const PATH = '/console/settings'
const FIELDS = ['name', 'slug', 'allowedRedirectURLs', 'allowedFrameOrigins'] as const
type Values = Readonly<Record<(typeof FIELDS)[number], string>>
/** The API answers after at most 20 seconds; a longer deletion continues in the background. */
const DELETE_MS = 30_000

/** What is this workspace, and who may embed its pages? */
export const workspaceSettingsScreen: Screen = {
  path: '/settings',
  async show(view) {
    const workspace = await readWorkspace(view)
    return showForm(view, workspace, {
      name: workspace.name,
      slug: workspace.slug,
      allowedRedirectURLs: workspace.allowedRedirectURLs.join('\n'),
      allowedFrameOrigins: workspace.allowedFrameOrigins.join('\n'),
    })
  },
  actions: {
    '': save,
    '/delete': remove,
  },
}

/** The workspace of the session. @throws LinchpinError `workspace_not_found` */
export async function readWorkspace({
  api,
  session,
}: {
  readonly api: Linchpin
  readonly session: View['session']
}): Promise<WorkspaceSettings> {
  const { workspaceId } = session.membership
  for await (const workspace of api.workspaces.list())
    if (workspace.workspaceId === workspaceId) return workspace
  throw new Error(`The token of the session does not list its workspace ${workspaceId}.`)
}

function showForm(
  view: View,
  workspace: WorkspaceSettings,
  values: Values,
  errors?: FormErrors,
): Page {
  const { words } = view
  const { workspace: texts } = words.settings
  const error = errors?.fields ?? {}
  const disabledBecause = whyNot(view, 'workspace:write')
  return {
    title: words.sections.settings,
    section: 'settings',
    status: errors === undefined ? 200 : 422,
    tabs: settingsTabs('workspace', words),
    banner: formBanner(errors),
    main: html`<div class="stack form"><form method="post" action="${PATH}" class="stack">${view.formFields(PATH)}
${textField({ name: 'name', label: texts.name, hint: texts.nameHint, value: values.name, error: error.name, maxLength: 100 })}
${textField({ name: 'slug', label: texts.slug, hint: texts.slugHint, value: values.slug, error: error.slug, isRequired: true, isCode: true })}
${areaField({ name: 'allowedRedirectURLs', label: texts.redirectUrls, hint: texts.redirectUrlsHint, value: values.allowedRedirectURLs, error: lineError(words, error.allowedRedirectURLs), rows: 4, isCode: true })}
${areaField({ name: 'allowedFrameOrigins', label: texts.frameOrigins, hint: texts.frameOriginsHint, value: values.allowedFrameOrigins, error: lineError(words, error.allowedFrameOrigins), rows: 3, isCode: true })}
<div class="buttons">${submitButton({ text: words.app.save, kind: 'primary', disabledBecause })}</div></form>
${panel(
  texts.about,
  facts([
    [texts.created, exactTime(workspace.createdAt)],
    ['ID', copyable(workspace.workspaceId, words)],
  ]),
)}${panel(texts.delete, renderDeletion(view, workspace))}</div>`,
  }
}

function lineError({ settings }: View['words'], error: string | undefined): string | undefined {
  return error === undefined || !/^\d/.test(error) ? error : `${settings.line} ${error}`
}

function renderDeletion(view: View, { slug }: WorkspaceSettings): Html {
  const { words } = view
  const { workspace: texts } = words.settings
  const path = `${PATH}/delete`
  return html`<div class="stack"><p>${texts.deleteText}</p><div class="buttons">${dialog({
    id: 'delete',
    trigger: {
      text: texts.delete,
      icon: 'trash',
      disabledBecause: whyNot(view, 'workspace:write'),
    },
    title: texts.deleteTitle(slug),
    content: html`<p>${texts.deleteConsequences}</p><form method="post" action="${path}" class="stack">${view.formFields(path)}<label class="field"><span>${words.connection.typeToConfirm(slug)}</span><input name="confirmation" autocomplete="off" spellcheck="false" required></label><div class="buttons">${submitButton({ text: texts.delete, icon: 'trash', kind: 'danger' })}</div></form>`,
    words,
  })}</div></div>`
}

async function save(view: Submission): Promise<Answer> {
  const { api, form, formId, session, words } = view
  const values: Values = {
    name: form.get('name')?.trim() ?? '',
    slug: form.get('slug')?.trim() ?? '',
    allowedRedirectURLs: form.get('allowedRedirectURLs') ?? '',
    allowedFrameOrigins: form.get('allowedFrameOrigins') ?? '',
  }
  const update = {
    name: values.name,
    slug: values.slug,
    allowedRedirectURLs: readLines(values.allowedRedirectURLs),
    allowedFrameOrigins: readLines(values.allowedFrameOrigins),
  }
  try {
    const options = { idempotencyKey: formId }
    await api.workspaces.update(session.membership.workspaceId, update, options)
    return { location: PATH, notice: words.app.saved }
  } catch (error) {
    const errors = toFormErrors(error, FIELDS)
    return showForm(view, await readWorkspace(view), values, errors)
  }
}

async function remove(view: Submission): Promise<Answer> {
  const { api, form, session, words } = view
  const { workspaceId, workspaceSlug } = session.membership
  if (form.get('confirmation')?.trim() !== workspaceSlug)
    return { location: PATH, notice: words.connection.notConfirmed, noticeTone: 'alert' }
  try {
    await api.workspaces.delete(workspaceId, { timeoutMs: DELETE_MS })
  } catch (error) {
    // Deleting revokes the token of this session, too.
    if (!isLinchpinError(error, 'token_invalid')) throw error
  }
  return { location: '/console', notice: words.settings.workspace.deleted }
}
