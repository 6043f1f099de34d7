import type { Verdict } from '../../spec/check-rules.ts'
import { type FakeEndpoints, fakeEndpoints } from '../fake-endpoints.ts'
import type { SignInAnswers } from '../fixtures.ts'
import { judgeVerdict, type Trial } from '../trial.ts'
import type { FakeSignIn } from './fake-sign-in.ts'
import type { SignIn } from './read-sign-in.ts'
import type { SignedIn } from './read-tokens.ts'
import { CLIENT, type SignInClient } from './sign-in-client.ts'

/** A sign-in on its way. */
export interface Walk {
  readonly trial: Trial
  readonly signIn: SignIn
  readonly documented: SignInAnswers
  readonly fake: FakeSignIn
  readonly given: Readonly<Record<string, unknown>>
  readonly client: SignInClient
  /** What the last exchange or renewal gave. */
  held: SignedIn | undefined
  /** The provider's API as it was since the step began. */
  apis: FakeEndpoints[]
}

/**
 * What speaks against the verdict of CHECK with what sign-in gave. As in Linchpin HEADERS runs before: when it brings another
 * refresh token, that one is kept, and proof enough.
 */
export async function check(walk: Walk, outcome: 'good' | 'bad'): Promise<string[]> {
  if (await rotateByHeaders(walk)) return outcome === 'good' ? [] : ['HEADERS had new tokens']
  const verdict = (await run(walk, 'CHECK')) as Verdict
  return judgeVerdict(walk.trial, outcome, verdict)
}

async function rotateByHeaders(walk: Walk): Promise<boolean> {
  const { held } = walk
  if (held?.refresh_token === undefined) return false
  // What HEADERS cannot do, CHECK will tell.
  const told = await run(walk, 'HEADERS').catch(() => ({}))
  const headers = new Headers(told as Record<string, string>)
  const refresh_token = headers.get('refresh-token') ?? ''
  if (refresh_token === '' || refresh_token === held.refresh_token) return false
  const [, access_token = held.access_token] =
    /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '') ?? []
  walk.held = { ...held, refresh_token, access_token }
  return true
}

/** Runs a command with what sign-in gave. */
export async function run(walk: Walk, command: 'CHECK' | 'HEADERS' | 'IDENTITY'): Promise<unknown> {
  const { jail, code, spec, authType } = walk.trial
  serve(walk)
  const { facts, ...tokens } = walk.held ?? { facts: {} }
  const client = { client_id: CLIENT.id, client_secret: CLIENT.secret }
  const config = { ...facts, ...walk.given, ...tokens, ...client, authType }
  walk.fake.bundleAsks(true)
  try {
    return await jail.run({ code, command, config, hosts: spec['x-hosts'] })
  } finally {
    walk.fake.bundleAsks(false)
  }
}

/** From now on the provider's API takes the token that is held, or one that the bundle had instead, while it lives. */
export function serve(walk: Walk): void {
  const { trial, fake, given, held } = walk
  const apis = new Map<string, FakeEndpoints>()
  const apiFor = (token: string) => {
    const names = { secret: token, access_token: token }
    const values = { ...trial.answers.config, ...given, ...held?.facts, ...names }
    const api = fakeEndpoints(trial.answers, fake.isAlive(token) ? 'good' : 'bad', values)
    walk.apis.push(api)
    apis.set(token, api)
    return api
  }
  const had = held?.access_token ?? 'none'
  trial.jail.provider.answer((asked) => {
    const answer = fake.answer(asked)
    if (answer !== undefined) return answer
    const { newest = had } = fake
    const token = JSON.stringify([asked.url.href, asked.headers]).includes(newest) ? newest : had
    return (apis.get(token) ?? apiFor(token)).answer(asked)
  })
}
