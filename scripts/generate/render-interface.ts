import { readFileSync } from 'node:fs'
import path from 'node:path'
import { FORWARDED_OPERATIONS } from '../../packages/server/src/accounts/proxy/operations.ts'
import { sendProxyRequestOperation } from '../../packages/server/src/accounts/proxy/send-proxy-request.ts'
import { OPERATIONS } from '../../packages/server/src/app/operations.ts'

interface Endpoint {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly scope?: string
}

/**
 * docs/interface.md with the current table of endpoints: the operations of the given interface first, as its appendix lists them,
 * then the others in the order of the code.
 *
 * @throws Error if the document has no such list or table
 */
export function renderInterface(): string {
  const document = readFileSync(path.join(import.meta.dirname, '../../docs/interface.md'), 'utf8')
  const [, list] = GIVEN.exec(document) ?? []
  if (list === undefined || !TABLE.test(document))
    throw new Error('docs/interface.md lacks the given operations or the table of endpoints.')
  const given = list.split(', ').map((id) => id.replaceAll('`', ''))
  const endpoints = listEndpoints()
  const isGiven = ({ id }: Endpoint) => given.includes(id)
  const rows = [
    ...endpoints.filter(isGiven).sort((a, b) => given.indexOf(a.id) - given.indexOf(b.id)),
    ...endpoints.filter((endpoint) => !isGiven(endpoint)),
  ].map(
    ({ id, method, path: route, scope = 'any' }) =>
      `| ${method} | ${route.replace(/:(\w+)/g, '{$1}')} | ${id} | ${scope} |\n`,
  )
  return document.replace(TABLE, (_, head: string) => head + rows.join(''))
}

const GIVEN = /eleven operations:\n\n(.+)\.\n/
const TABLE =
  /^(\| method \| path \| operationId \| scope \|\n\|---\|---\|---\|---\|\n)(?:\|.*\n)+/m

function listEndpoints(): readonly Endpoint[] {
  const { path: route, scope = 'any' } = sendProxyRequestOperation
  const forwarded = FORWARDED_OPERATIONS.map(({ id, method }) => ({
    id,
    method,
    path: `${route}/:path`,
    scope,
  }))
  return [...OPERATIONS, ...forwarded]
}
