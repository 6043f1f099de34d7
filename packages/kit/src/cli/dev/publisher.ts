import type { Definition } from '../../definition.ts'

/** The URL and the token of a Linchpin. */
export interface LinchpinOptions {
  readonly url: string
  /** A token with read and write access. */
  readonly token: string
  readonly fetch: typeof globalThis.fetch
}

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
  const call = createApiClient(options, `${origin}/api/v1`)
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

interface ApiResponse {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

function createApiClient(options: LinchpinOptions, base: string) {
  return async (method: string, path: string, body?: object): Promise<ApiResponse> => {
    const headers = {
      Authorization: `Bearer ${options.token}`,
      ...(body && { 'Content-Type': 'application/json' }),
    }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await options.fetch(base + path, init).catch(() => {
      throw new Error(`${base} does not respond.`)
    })
    const responseBody: unknown = await response.json().catch(() => ({}))
    return { status: response.status, body: responseBody as ApiResponse['body'] }
  }
}

function assertOk({ status, body }: ApiResponse): ApiResponse['body'] {
  if (status < 300) return body
  const isBlockedSource = String(body.error).startsWith('source_')
  const hint = isBlockedSource
    ? ' Start it with the host of this bundle in LINCHPIN_EGRESS_ALLOW.'
    : ''
  throw new Error(`Linchpin returned ${status}: ${body.message ?? 'no message.'}${hint}`)
}
