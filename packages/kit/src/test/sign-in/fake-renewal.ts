import { fillUrl } from '../../run/fill.ts'
import type { Asked } from '../provider.ts'
import { type Reply, reply } from '../reply.ts'
import type { Trial } from '../trial.ts'
import { readParams } from './judge-token-request.ts'
import { readSignIn } from './read-sign-in.ts'

/**
 * The token endpoint outside a walk, for bundles that renew by themselves before each call: it gives the access token
 * that the trial is about, and the API says what that is worth. Undefined for every other request.
 */
export function fakeRenewal(trial: Trial): (asked: Asked) => Reply | undefined {
  const { spec, authType, answers, config } = trial
  const signIn = readSignIn(spec, authType)
  if (signIn === undefined) return () => undefined
  const { token, refresh } = answers.signIn ?? {}
  const places = [refresh ?? signIn.refreshUrl, token ?? signIn.tokenUrl]
  return (asked) => {
    const { grant_type, refresh_token } = asked.method === 'POST' ? readParams(asked) : {}
    if (grant_type !== 'refresh_token' || refresh_token !== config.refresh_token) return undefined
    const at = asked.url.origin + asked.url.pathname
    if (!places.some((place) => isAt(fillUrl(place, config), at))) return undefined
    const { access_token, token_type } = config
    return reply(200, { access_token, refresh_token, token_type, expires_in: 3_600 })
  }
}

function isAt(url: string, place: string): boolean {
  const { origin, pathname } = new URL(url)
  return origin + pathname === place
}
