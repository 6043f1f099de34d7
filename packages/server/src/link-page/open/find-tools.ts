import type { ListedDefinition } from '../../definition/definition-store.ts'
import { isShared } from '../../definition/definition-view-store.ts'
import { ALL } from '../../http/page.ts'
import { allowedDefinitions } from '../../link/get-link.ts'
import type { LinkPageDeps } from '../link-page-deps.ts'
import type { Page } from '../view/page.ts'
import type { Tool, Way } from './tools.ts'

/** Why there is nothing to choose from. */
export type Emptiness = 'noneInWorkspace' | 'noneMatchKeys' | 'noneWithSignIn' | 'appMissing'

/** What a link offers: at least one tool, or the reason why there is none. */
export type Offer =
  | {
      readonly tools: readonly Tool[]
      readonly empty?: undefined
      /** Tools whose every way needs an OAuth app that is missing. */
      readonly unready: readonly Tool[]
    }
  | { readonly tools: readonly []; readonly empty: Emptiness; readonly missing?: Tool | undefined }

/** The tools that a person can connect here, by name: those that the link allows, of the keys asked for, that work. */
export async function findTools(deps: LinkPageDeps, page: Page): Promise<Offer> {
  const { link, reach, query, language } = page
  const filter = allowedDefinitions(link)
  const [allowed, apps] = await Promise.all([
    deps.definitions.list(reach, filter, ALL),
    deps.oauthApps.list(reach, { workspaceId: link.workspace_id }, ALL),
  ])
  const definitions = withoutDoubles(allowed)
  if (definitions.length === 0) return none('noneInWorkspace')
  const keys = query.integrationKeys?.split(',').map((key) => key.trim())
  const wanted = definitions.filter(({ key }) => keys === undefined || keys.includes(key))
  if (wanted.length === 0) return none('noneMatchKeys')
  const withApp = new Set(apps.map(({ definition_id }) => definition_id))
  const ways = await deps.readWays(wanted, () => deps.definitions.listWithSpecs(reach, filter))
  const accepts = ({ kind }: Way) => link.prefer_oauth === 0 || kind === 'sign_in'
  const all = wanted.map((definition): Tool => {
    const accepted = (ways.get(definition.bundle_sha256) ?? []).filter(accepts)
    const hasApp = withApp.has(definition.definition_id)
    const ready = accepted.filter(({ kind }) => hasApp || kind === 'credentials')
    return { definition, ways: accepted, ready }
  })
  const tools = all.filter(({ ready }) => ready.length > 0)
  const unready = all.filter(({ ways, ready }) => ways.length > 0 && ready.length === 0)
  if (tools.length > 0) return { tools: byName(tools, language), unready }
  const [missing] = unready
  return missing === undefined
    ? none('noneWithSignIn')
    : { tools: [], empty: 'appMissing', missing }
}

/** Addresses of the page name tools by key: where a workspace has brought its own, that one stands for the key. */
function withoutDoubles(definitions: readonly ListedDefinition[]): ListedDefinition[] {
  const own = new Set(definitions.filter((one) => !isShared(one)).map(({ key }) => key))
  return definitions.filter((one) => !isShared(one) || !own.has(one.key))
}

function none(empty: Emptiness): Offer {
  return { tools: [], empty }
}

/** One collator for all: comparing by language alone looks one up each time. */
function byName(tools: readonly Tool[], language: string): Tool[] {
  const { compare } = new Intl.Collator(language)
  return tools.toSorted(
    ({ definition: one }, { definition: other }) =>
      compare(one.name, other.name) || (one.key < other.key ? -1 : 1),
  )
}
