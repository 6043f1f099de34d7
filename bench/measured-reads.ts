import { visitConsole } from './console/console-visit.ts'
import type { PreparedRequests } from './operations.ts'
import { type BenchmarkedService, toLocation } from './subject.ts'

/** A request for what the client already has. Undefined if the response has no entity tag. */
export async function prepareRevalidation(
  { service, token }: BenchmarkedService,
  path: string,
): Promise<PreparedRequests | undefined> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(service.url + path, { headers })
  await response.arrayBuffer()
  const etag = response.headers.get('etag')
  return etag === null
    ? undefined
    : { requests: [{ method: 'GET', path }], headers: { 'if-none-match': etag }, status: 304 }
}

/** The page after the account in the middle. */
export async function prepareDeepPage(
  { service, accountIds }: BenchmarkedService,
  path: string,
): Promise<PreparedRequests> {
  const middle = accountIds.toSorted()[Math.floor(accountIds.length / 2)] ?? ''
  const { body } = await service.call('GET', `/v1/integration_account/${middle}`)
  const cursor = Buffer.from(`${Date.parse(body.createdAt)}.${middle}`).toString('base64url')
  return { requests: [{ method: 'GET', path: `${path}&cursor=${cursor}` }] }
}

/** A page of the console, as the owner. */
export async function prepareConsole(
  { service, setup }: BenchmarkedService,
  path: string,
): Promise<PreparedRequests> {
  const visit = await visitConsole(service, toLocation(setup))
  visit.close()
  const host = `localhost:${new URL(service.url).port}`
  return { requests: [{ method: 'GET', path }], headers: { host, cookie: visit.cookie() } }
}
