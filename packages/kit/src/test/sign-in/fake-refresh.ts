import { fillUrl } from '../../values/fill.ts'
import type { ReceivedRequest } from '../fake-provider.ts'
import { type Reply, reply } from '../reply.ts'
import type { TestRun } from '../test-run.ts'
import { readSignIn } from './read-sign-in.ts'
import { parseParams } from './validate-token-request.ts'

/**
 * The token endpoint outside a sign-in test, for bundles that refresh tokens themselves before each call: it returns
 * the access token under test, and the API decides whether it is valid. Undefined for every other request.
 */
export function simulateRefresh(testRun: TestRun): (request: ReceivedRequest) => Reply | undefined {
  const { spec, authType, fixture, config } = testRun
  const signIn = readSignIn(spec, authType)
  if (signIn === undefined) return () => undefined
  const { token, refresh } = fixture.signIn ?? {}
  const tokenUrls = [refresh ?? signIn.refreshUrl, token ?? signIn.tokenUrl]
  return (request) => {
    const { grant_type, refresh_token } = request.method === 'POST' ? parseParams(request) : {}
    if (grant_type !== 'refresh_token' || refresh_token !== config.refresh_token) return undefined
    const requestUrl = request.url.origin + request.url.pathname
    if (!tokenUrls.some((tokenUrl) => isSameEndpoint(fillUrl(tokenUrl, config), requestUrl)))
      return undefined
    const { access_token, token_type } = config
    return reply(200, { access_token, refresh_token, token_type, expires_in: 3_600 })
  }
}

function isSameEndpoint(url: string, tokenUrl: string): boolean {
  const { origin, pathname } = new URL(url)
  return origin + pathname === tokenUrl
}
