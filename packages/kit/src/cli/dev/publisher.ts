import type { Definition } from '../../definition.ts'
import { assertOk, createApiClient, type LinchpinOptions } from '../api-client.ts'

/** Publishes each build to a Linchpin, as one definition that nothing else uses. */
export interface Publisher {
  /**
   * Returns the URL of a connect page that offers only this integration.
   *
   * @throws Error with Linchpin's message when it rejects the bundle
   */
  publish(definition: Definition, sourceUrl: string): Promise<string>
}

/**
 * Publishes to a Linchpin, as `<name> (dev)`. The first build uses the existing definition, or creates one, and creates
 * a link to it; later builds update the definition.
 */
export function createPublisher(options: LinchpinOptions): Publisher {
  const origin = options.url.replace(/\/+$/, '')
  const call = createApiClient(options)
  let current: DevDefinition | undefined

  async function find(name: string): Promise<DevDefinition | undefined> {
    const all = assertOk(
      await call('GET', '/integration_definition'),
    ) as unknown as readonly DevDefinition[]
    return all.find((each) => each.name === name)
  }

  async function create(definition: Definition, sourceUrl: string): Promise<DevDefinition> {
    const { category: integrationType } = definition
    const body = { name: getDevName(definition), sourceUrl, integrationType }
    const first = await call('POST', '/integration_definition', body)
    if (first.status !== 409) return assertOk(first) as unknown as DevDefinition
    // A definition of an earlier build has the name, and has accounts, so it cannot be deleted.
    const name = `${body.name} ${new URL(sourceUrl).search.slice(1, 9)}`
    const second = await call('POST', '/integration_definition', { ...body, name })
    return assertOk(second) as unknown as DevDefinition
  }

  /** Returns false if the definition has to be created again. */
  async function upgrade(
    { integrationDefinitionId: id }: DevDefinition,
    sourceUrl: string,
    version: string,
  ) {
    const path = `/integration_definition/${id}`
    const upgraded = await call('POST', path, { sourceUrl, version })
    if (!CANNOT_UPGRADE_STATUSES.has(upgraded.status)) return assertOk(upgraded) !== undefined
    await call('DELETE', path)
    return false
  }

  async function createLink({
    integrationDefinitionId,
    name: linkName,
  }: DevDefinition): Promise<string> {
    const link = assertOk(await call('POST', '/link', { linkName, integrationDefinitionId }))
    return `${origin}/link/${link.linkId}`
  }

  return {
    async publish(definition, sourceUrl) {
      const previous = current ?? (await find(getDevName(definition)))
      const isNew = !previous || !(await upgrade(previous, sourceUrl, definition.version))
      const definitionInUse = isNew ? await create(definition, sourceUrl) : previous
      const page = (isNew ? undefined : previous.page) ?? (await createLink(definitionInUse))
      current = { ...definitionInUse, page }
      return page
    },
  }
}

/** A definition in Linchpin, and the page that offers it. */
interface DevDefinition {
  readonly integrationDefinitionId: string
  readonly name: string
  readonly page?: string
}

function getDevName({ name }: Definition): string {
  return `${name} (dev)`
}

/** An older Linchpin cannot upgrade, the definition was deleted, or it already has this version. */
const CANNOT_UPGRADE_STATUSES: ReadonlySet<number> = new Set([404, 405, 409])
