import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { SignInAnswers } from '../fixtures.ts'
import type { Trial, Tried } from '../trial.ts'
import { fakeSignIn } from './fake-sign-in.ts'
import { readSignIn } from './read-sign-in.ts'
import { CLIENT, createSignInClient } from './sign-in-client.ts'
import { pick, sortedConfig } from './sorted-config.ts'
import { USUAL_TOKENS } from './token-answer.ts'
import { check, run, serve, type Walk } from './walk.ts'

/**
 * Walks sign-in of one auth type against a fake of its provider, over HTTP: let in, denied, expired, rotated, revoked.
 * Empty for an auth type without sign-in.
 */
export async function trySignIn(trial: Trial): Promise<Tried[]> {
  const signIn = readSignIn(trial.spec, trial.authType)
  if (signIn === undefined) return []
  const { given, facts, callback } = sortedConfig(trial, signIn)
  const documented: SignInAnswers = {
    callback,
    good: { ...USUAL_TOKENS, ...facts },
    ...trial.answers.signIn,
  }
  const { good, renewed } = trial.answers.signIn ?? {}
  const fake = fakeSignIn(
    signIn,
    documented,
    { ...given, ...facts, ...callback, client_id: CLIENT.id },
    good !== undefined || renewed !== undefined,
  )
  const walk: Walk = {
    trial,
    signIn,
    documented,
    fake,
    given,
    // What comes back with sign-in may stand in URLs that are asked later.
    client: createSignInClient(trial.jail, signIn, { ...facts, ...callback, ...given }),
    held: undefined,
    apis: [],
  }
  const tried: Tried[] = trial.answers.signIn === undefined ? [undocumented(trial)] : []
  for (const [title, step] of STEPS) {
    const result = await stepResult(walk, step)
    tried.push({ title: `${trial.authType}: ${title}`, ...result })
    if (walk.held === undefined) break
  }
  return tried
}

/** Faults; a text says why it cannot be tried. */
type Step = (walk: Walk) => Promise<string[] | string>

const STEPS: readonly (readonly [string, Step])[] = [
  ['signs in', letIn],
  ['is told when the person says no', denied],
  ['renews what has expired', expired],
  ['keeps the refresh token that is valid now', rotated],
  ['revokes when an account is deleted', revoked],
]

/** A spec that is wrong agrees with itself: only what the provider documents tells. */
function undocumented({ authType }: Trial): Tried {
  const title = `${authType}: signs in as the provider documents`
  return { title, faults: [], never: 'The fixtures lack signIn, so what the spec says is walked.' }
}

async function stepResult(walk: Walk, step: Step): Promise<Omit<Tried, 'title'>> {
  const before = walk.fake.faults.length
  const { jail } = walk.trial
  walk.apis = []
  serve(walk)
  const asked = () => [
    ...walk.fake.faults.slice(before),
    ...walk.apis.flatMap(({ faults }) => faults),
    ...jail.refused.map((host) => `asked ${host}, which x-hosts lacks`),
  ]
  try {
    const faults = await step(walk)
    if (typeof faults === 'string') return { faults: [], never: faults }
    return { faults: [...new Set([...asked(), ...faults])] }
  } catch (error) {
    return { faults: [...new Set([...asked(), (error as Error).message])] }
  }
}

async function letIn(walk: Walk): Promise<string[]> {
  const { trial, client, documented } = walk
  const verifier = randomUUID() + randomUUID()
  const back = await consent(walk, verifier)
  const signedIn = await client.exchange(back.get('code') ?? '', verifier)
  const kept = pick(Object.fromEntries(back), walk.signIn.callbackParams)
  walk.held = { ...signedIn, facts: { ...kept, ...signedIn.facts } }
  const { identity } = trial.answers
  const checked = await check(walk, 'good')
  const who = identity && (await run(walk, 'IDENTITY'))
  const isOther = identity !== undefined && !isDeepStrictEqual(who, identity)
  const lacksRefresh = documented.offline !== undefined && signedIn.refresh_token === undefined
  return [
    ...checked,
    ...(isOther ? [`IDENTITY is ${JSON.stringify(who)}`] : []),
    ...(lacksRefresh
      ? [`no refresh token came: ask for ${JSON.stringify(documented.offline)} at consent`]
      : []),
  ]
}

async function denied(walk: Walk): Promise<string[]> {
  walk.fake.deny()
  const back = await consent(walk, randomUUID())
  return back.get('error') === 'access_denied' && !back.has('code') ? [] : ['nobody was told']
}

async function expired(walk: Walk): Promise<string[] | string> {
  walk.fake.expire()
  const before = await check(walk, walk.fake.isRenewedByBundle ? 'good' : 'bad')
  const after = await renewed(walk)
  return typeof after === 'string' ? after : [...before, ...after]
}

async function rotated(walk: Walk): Promise<string[] | string> {
  walk.fake.expire()
  return renewed(walk)
}

/** Linchpin's own renewal, and what CHECK says then. */
async function renewed(walk: Walk): Promise<string[] | string> {
  const { client, held, fake } = walk
  if (held?.refresh_token === undefined) return 'No refresh token comes with sign-in.'
  if (!fake.isRenewable(held.refresh_token)) return [SPENT]
  const { facts, ...tokens } = await client.refresh(held.refresh_token)
  walk.held = { ...held, ...tokens, facts: { ...held.facts, ...facts } }
  return check(walk, 'good')
}

async function revoked(walk: Walk): Promise<string[] | string> {
  const { client, held, signIn, documented, fake } = walk
  if (signIn.revocationUrl === undefined) {
    const { revocation } = documented
    return revocation === undefined
      ? 'It names no URL for that.'
      : [`the provider revokes at ${revocation}: say revocationUrl`]
  }
  if (held?.refresh_token !== undefined) await client.revoke(held.refresh_token, 'refresh_token')
  await client.revoke(held?.access_token ?? '', 'access_token')
  const isDead = !fake.isAlive(held?.access_token ?? '')
  if (!isDead) return ['the token is still alive']
  // Without tokens to renew, a bundle that renews may ask with none at all.
  return fake.isRenewedByBundle ? [] : check(walk, 'bad')
}

const SPENT =
  'the bundle renews by itself and HEADERS does not tell its refresh-token: let it use access_token'

/** The answer that a person brings back from the provider. */
async function consent({ client, trial }: Walk, verifier: string): Promise<URLSearchParams> {
  const state = randomUUID()
  const { status, location } = await trial.jail.request(await client.authorize(state, verifier))
  if (location === undefined) throw new Error(`the page for consent answered ${status}`)
  const back = new URL(location).searchParams
  if (back.get('state') !== state) throw new Error('the state did not come back')
  return back
}
