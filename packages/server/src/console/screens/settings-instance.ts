import type { InstanceInfo } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { banner, copyable, facts, linkButton, panel } from '../parts/content.ts'
import { icon } from '../parts/icons.ts'
import { emptyState, formatNumber } from '../parts/table.ts'
import { exactTime, timeAgo } from '../parts/time.ts'
import type { Page, Screen, View } from '../screen.ts'
import { settingsTabs } from './settings-tabs.ts'

const PATH = '/console/settings/instance'

/** What runs here, and is something wrong with it? */
export const instanceScreen: Screen = {
  path: '/settings/instance',
  async show(view) {
    const { words, session } = view
    const { instance } = words.settings
    if (session.membership.role !== 'owner')
      return showLocked(view, 403, words.app.needsRole(words.roles.owner))
    const api = await view.openApi('instance')
    if (api !== undefined) return showInstance(view, await api.instance.get())
    if (session.elevatedUntil !== null) return showLocked(view, 403, instance.notYours)
    const action = linkButton(
      { text: words.elevation.title, icon: 'key', kind: 'primary' },
      `/console/elevate?to=${encodeURIComponent(PATH)}`,
    )
    return showLocked(view, 200, instance.elevate, action)
  },
}

function showLocked({ words }: View, status: number, text: string, action?: Html): Page {
  return {
    title: words.sections.settings,
    section: 'settings',
    status,
    tabs: settingsTabs('instance', words),
    main: emptyState({ icon: 'lock', text, action }),
  }
}

function showInstance({ words, now }: View, info: InstanceInfo): Page {
  const { instance } = words.settings
  const { database, warnings, migrations } = info
  const newest = migrations.at(-1)
  return {
    title: words.sections.settings,
    section: 'settings',
    tabs: settingsTabs('instance', words),
    banner:
      warnings.length === 0
        ? undefined
        : html`${warnings.map(({ code, message }) => banner('warn', { title: instance.warnings[code as keyof typeof instance.warnings] ?? code, text: plain(message) }))}`,
    main: html`<div class="stack form">${panel(
      instance.service,
      facts([
        [instance.version, info.version],
        [instance.commit, copyable(info.commit, words)],
        [
          instance.started,
          html`${exactTime(info.startedAt)} (${timeAgo(info.startedAt, now, words)})`,
        ],
      ]),
    )}${panel(
      instance.database,
      facts([
        [
          instance.kind,
          instance.kinds[database.kind as keyof typeof instance.kinds] ?? database.kind,
        ],
        [instance.size, formatBytes(database.bytes)],
        [
          instance.schema,
          newest && html`<code>${newest.name}</code>, ${exactTime(newest.appliedAt)}`,
        ],
        [instance.migrations, formatNumber(migrations.length)],
      ]),
    )}${panel(
      instance.keys,
      html`<p class="quiet lead">${instance.keysText}</p><ul class="rows">${info.keys.map(
        ({ keyId, isFirst, workspaces }) =>
          html`<li class="line"><span><code>${keyId}</code>${isFirst ? html` <span class="tag">${instance.first}</span>` : ''}</span><span class="quiet">${instance.uses(workspaces)}</span></li>`,
      )}</ul>`,
    )}${panel(instance.settings, html`<p class="quiet lead">${instance.settingsText} <a href="/docs/operating#settings">${instance.meaning}</a></p>${renderSettings(words, info)}`)}</div>`,
  }
}

function renderSettings({ settings }: View['words'], { settings: all }: InstanceInfo): Html {
  const { instance } = settings
  const sorted = all.toSorted((one, other) => Number(other.isSet) - Number(one.isSet))
  return html`<ul class="rows">${sorted.map(
    ({ name, isSet }) =>
      html`<li class="line"><code>${name}</code><span class="status ${isSet ? 'good' : 'quiet'}">${isSet ? icon('check', 16) : ''}<span>${isSet ? instance.isSet : instance.isDefault}</span></span></li>`,
  )}</ul>`
}

/** A message of the API, without its marks of code. */
function plain(message: string): string {
  return message.replaceAll('`', '')
}

function formatBytes(bytes: number): string {
  const mebibytes = bytes / 1_048_576
  if (mebibytes < 1_024) return `${formatNumber(Math.round(mebibytes * 10) / 10)} MiB`
  return `${formatNumber(Math.round(mebibytes / 102.4) / 10)} GiB`
}
