import type { Definition } from '../../definition.ts'

/** Where a Linchpin is, and how it is reached. */
export interface LinchpinOptions {
  readonly url: string
  /** A token that may read and write. */
  readonly token: string
  readonly fetch: typeof globalThis.fetch
}

/** Puts each build into a Linchpin, under one definition that nothing else uses. */
export interface Publisher {
  /**
   * Answers the connect page that offers this integration only.
   *
   * @throws Error with Linchpin's words when it does not take the bundle
   */
  publish(definition: Definition, sourceUrl: string): Promise<string>
}

/**
 * Publishes to a Linchpin, as `<name> (dev)`. The first build takes the definition that is there already, or makes
 * one, and makes a link to it; the next ones change the definition.
 */
export function createPublisher(options: LinchpinOptions): Publisher {
  const origin = options.url.replace(/\/+$/, '')
  const call = caller(options, `${origin}/api/v1`)
  let made: Made | undefined

  async function find(name: string): Promise<Made | undefined> {
    const all = fine(await call('GET', '/integration_definition')) as unknown as readonly Made[]
    return all.find((each) => each.name === name)
  }

  async function make(definition: Definition, sourceUrl: string): Promise<Made> {
    const { category: integrationType } = definition
    const body = { name: devName(definition), sourceUrl, integrationType }
    const first = await call('POST', '/integration_definition', body)
    if (first.status !== 409) return fine(first) as unknown as Made
    // An earlier build has the name, and accounts that keep it.
    const name = `${body.name} ${new URL(sourceUrl).search.slice(1, 9)}`
    const second = await call('POST', '/integration_definition', { ...body, name })
    return fine(second) as unknown as Made
  }

  /** False when it has to be made anew. */
  async function upgrade(
    { integrationDefinitionId: id }: Made,
    sourceUrl: string,
    version: string,
  ) {
    const path = `/integration_definition/${id}`
    const upgraded = await call('POST', path, { sourceUrl, version })
    if (!UNKNOWN.has(upgraded.status)) return fine(upgraded) !== undefined
    await call('DELETE', path)
    return false
  }

  async function linkTo({ integrationDefinitionId, name: linkName }: Made): Promise<string> {
    const link = fine(await call('POST', '/link', { linkName, integrationDefinitionId }))
    return `${origin}/link/${link.linkId}`
  }

  return {
    async publish(definition, sourceUrl) {
      const before = made ?? (await find(devName(definition)))
      const isNew = !before || !(await upgrade(before, sourceUrl, definition.version))
      const now = isNew ? await make(definition, sourceUrl) : before
      const page = (isNew ? undefined : before.page) ?? (await linkTo(now))
      made = { ...now, page }
      return page
    },
  }
}

/** A definition in Linchpin, and the page that offers it. */
interface Made {
  readonly integrationDefinitionId: string
  readonly name: string
  readonly page?: string
}

function devName({ name }: Definition): string {
  return `${name} (dev)`
}

/** An older Linchpin does not upgrade, the definition is gone, or this version was there already. */
const UNKNOWN: ReadonlySet<number> = new Set([404, 405, 409])

interface Answer {
  readonly status: number
  readonly said: Readonly<Record<string, unknown>>
}

function caller(options: LinchpinOptions, base: string) {
  return async (method: string, path: string, body?: object): Promise<Answer> => {
    const headers = {
      Authorization: `Bearer ${options.token}`,
      ...(body && { 'Content-Type': 'application/json' }),
    }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const answer = await options.fetch(base + path, init).catch(() => {
      throw new Error(`Nobody answers at ${base}.`)
    })
    const said: unknown = await answer.json().catch(() => ({}))
    return { status: answer.status, said: said as Answer['said'] }
  }
}

function fine({ status, said }: Answer): Answer['said'] {
  if (status < 300) return said
  const isClosed = String(said.error).startsWith('source_')
  const move = isClosed ? ' Start it with LINCHPIN_EGRESS_ALLOW and the host of this bundle.' : ''
  throw new Error(`Linchpin answered ${status}: ${said.message ?? 'no word of why.'}${move}`)
}
