import type { Database } from '../../platform/storage/database.ts'
import type { Customer } from './erasure.ts'

/** What an erasure leaves although its texts mention the customer: ids, at most 100 of each kind. */
export interface Mentions {
  readonly links: readonly string[]
  readonly tokens: readonly string[]
  readonly webhookEndpoints: readonly string[]
}

/**
 * Finds texts of the operator that mention a customer: the names of links, tokens and webhook endpoints as a word, and
 * their URLs as a label of the host, a segment of the path or the value of a parameter. They are only reported: whether
 * such a text is about the customer is for the operator to decide.
 */
export function createMentionStore({ read }: Pick<Database, 'read'>) {
  const findLinks = (customer: Customer) =>
    findMentions(customer, async (after) => {
      const rows = await read
        .selectFrom('links')
        .select(['link_id', 'name', 'redirect_urls', 'allowed_origins'])
        .where('workspace_id', '=', customer.workspaceId)
        .where('link_id', '>', after as 'lnk_')
        .orderBy('link_id')
        .limit(PAGE)
        .execute()
      return rows.map((row) => ({
        id: row.link_id,
        name: row.name,
        urls: [...parseList(row.redirect_urls), ...parseList(row.allowed_origins)],
      }))
    })
  const findTokens = (customer: Customer) =>
    findMentions(customer, async (after) => {
      const rows = await read
        .selectFrom('tokens')
        .select(['token_id', 'name'])
        .where('workspace_id', '=', customer.workspaceId)
        .where('token_id', '>', after as 'tok_')
        .orderBy('token_id')
        .limit(PAGE)
        .execute()
      return rows.map((row) => ({ id: row.token_id, name: row.name, urls: [] }))
    })
  const findWebhookEndpoints = async (customer: Customer) => {
    const rows = await read
      .selectFrom('webhook_endpoints')
      .select(['endpoint_id', 'url', 'description'])
      .where('workspace_id', '=', customer.workspaceId)
      .where('deleted_at', 'is', null)
      .execute()
    const texts = rows.map((row) => ({
      id: row.endpoint_id,
      name: row.description ?? '',
      urls: [row.url],
    }))
    return findMentions(customer, async (after) => (after === '' ? texts : []))
  }
  return {
    async list(customer: Customer): Promise<Mentions> {
      return {
        links: await findLinks(customer),
        tokens: await findTokens(customer),
        webhookEndpoints: await findWebhookEndpoints(customer),
      }
    },
  }
}

export type MentionStore = ReturnType<typeof createMentionStore>

/** The texts of a resource. */
interface Texts {
  readonly id: string
  readonly name: string
  readonly urls: readonly string[]
}

async function findMentions(
  { identifier }: Customer,
  readPage: (after: string) => Promise<readonly Texts[]>,
): Promise<string[]> {
  const word = new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(identifier)}(?![\\p{L}\\p{N}])`, 'u')
  const found: string[] = []
  let after: string | undefined = ''
  while (after !== undefined && found.length < MAX_MENTIONS) {
    const page: readonly Texts[] = await readPage(after)
    for (const { id, name, urls } of page)
      if (word.test(name) || urls.some((url) => isInUrl(url, identifier))) found.push(id)
    after = page.at(-1)?.id
  }
  return found.slice(0, MAX_MENTIONS)
}

const MAX_MENTIONS = 100
const PAGE = 500

const parseList = (json: string): string[] => JSON.parse(json)

function isInUrl(text: string, identifier: string): boolean {
  const url = URL.parse(text)
  if (url === null) return false
  const segments = url.pathname.split('/').map(decode)
  return (
    url.hostname.split('.').includes(identifier.toLowerCase()) ||
    [...segments, ...url.searchParams.values()].includes(identifier)
  )
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
