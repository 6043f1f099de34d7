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

/** Publishes to a Linchpin. The first build makes a definition and a link; the next ones change the definition. */
export function createPublisher(options: LinchpinOptions): Publisher {
  const origin = options.url.replace(/\/+$/, '')
  const call = caller(options, `${origin}/api/v1`)
  let made: { readonly id: string; readonly page: string } | undefined

  async function make({ name, category }: Definition, sourceUrl: string, digest: string) {
    const body = { name: `${name} (dev ${digest})`, sourceUrl, integrationType: category }
    const definition = fine(await call('POST', '/integration_definition', body))
    const integrationDefinitionId = String(definition.integrationDefinitionId)
    const link = await call('POST', '/link', { linkName: body.name, integrationDefinitionId })
    const { linkId } = fine(link)
    return { id: integrationDefinitionId, page: `${origin}/link/${linkId}` }
  }

  return {
    async publish(definition, sourceUrl) {
      const digest = new URL(sourceUrl).search.slice(1, 9)
      if (made !== undefined) {
        const { version } = definition
        const path = `/integration_definition/${made.id}`
        const upgraded = await call('POST', path, { sourceUrl, version })
        if (!UNKNOWN.has(upgraded.status)) {
          fine(upgraded)
          return made.page
        }
        // Accounts of an earlier build keep it: it stays then.
        await call('DELETE', path)
      }
      made = await make(definition, sourceUrl, digest)
      return made.page
    },
  }
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
