import { ICONS } from '../../page/components/icons.ts'
import { row, rows } from '../../page/components/row.ts'
import { stateHeader } from '../../page/components/state-header.ts'
import { tile } from '../../page/components/tile.ts'
import { html } from '../../page/html.ts'
import type { Text } from '../../page/phrase.ts'
import type { Words } from '../../page/words/words.ts'
import type { Tool, Way } from '../open/tools.ts'
import { type Page, pageUrl } from './page.ts'
import type { Screen } from './screen.ts'
import { offlineTemplate } from './templates.ts'
import { toolIcon } from './tool-names.ts'
import { pageBar } from './way-out.ts'

/** More than one way leads to a tool: signing in first. */
export function chooseAuthScreen(page: Page, tool: Tool, back: string | undefined): Screen {
  const { words, query } = page
  const { name, key } = tool.definition
  const { q, category } = query
  const title = words.auth.title({ tool: name })
  const names = tool.ready.map((way) => wayName(words, name, way))
  const texts = names.map(String)
  // Names that several ways have.
  const last = new Map(texts.map((text, index) => [text, index]))
  const shared = new Set(texts.filter((text, index) => last.get(text) !== index))
  const items = tool.ready.map((way, index) => {
    const own = shared.has(texts[index] ?? '') ? ownLabel(way) : ''
    return row({
      href: pageUrl(page, { integration: key, auth: way.authType, q, category }),
      name: names[index] ?? '',
      line: wayLine(words, name, way),
      picture: way.kind === 'sign_in' ? ICONS.window : ICONS.lock,
      marks: [
        ...(own === '' ? [] : [own]),
        ...(index === 0 && way.kind === 'sign_in' ? [words.auth.recommended] : []),
      ],
      attributes: { 'data-auth': way.authType },
    })
  })
  const main = html`${pageBar(page, { back })}${stateHeader({
    mark: [tile(name, toolIcon(tool.definition))],
    title,
    body: words.auth.body,
  })}${rows(items)}${offlineTemplate(page)}`
  return { state: 'chooseAuth', status: 200, title, main }
}

/** Names that bundles use, in plain words; any other is shown as the spec has it. */
function wayName({ auth }: Words, tool: string, way: Way): Text {
  if (way.kind === 'sign_in') return auth.signIn({ tool })
  if (/^api[\s_-]*key$/i.test(way.authType)) return auth.apiKey
  if (/^(?:(?:personal|api)[\s_-]*)?(?:access[\s_-]*)?token$/i.test(way.authType)) return auth.token
  if (/^basic(?:[\s_-]*auth)?$|^password$/i.test(way.authType)) return auth.password
  return auth.other({ label: way.authType })
}

/** What tells a way from others of the same name: how the spec calls it, without the word of the trade. */
function ownLabel({ authType, kind }: Way): string {
  return kind === 'sign_in'
    ? authType.replace(/^o-?auth[\s_-]*(?:2(?:\.0)?)?[\s_-]*/i, '').replace(/^\((.*)\)$/, '$1')
    : authType
}

function wayLine({ auth }: Words, tool: string, { kind, host, authType }: Way): Text | undefined {
  if (kind === 'sign_in') return host === undefined ? undefined : auth.signInLine({ host })
  return /^basic|^password$/i.test(authType) ? auth.passwordLine : auth.apiKeyLine({ tool })
}
