import { created, fine } from '../../fixtures.ts'
import { type BrowserWorld, startBrowserWorld } from '../world.ts'
import { GITHUB_SPEC, ledgerSpec, toldBundle } from './specs.ts'
import { addTools } from './tools.ts'

/** A tool of the stage, by the key of its definition. */
export interface StageTool {
  readonly id: string
  readonly key: string
}

/** A world in which every state can be reached: 60 tools with our icons, ways of every kind, a second workspace. */
export interface Stage extends BrowserWorld {
  /** One key, and nobody marked it as custom. */
  readonly github: StageTool
  /** Signing in, an API key, a token, a password. */
  readonly ways: StageTool
  /** Fields of every kind. */
  readonly form: StageTool
  /** Signing in, where the workspace has no OAuth app. */
  readonly noApp: StageTool
  /** Where people go back to. */
  readonly home: string
  /** A workspace that allows nothing and has no tools: its token. */
  readonly bare: { readonly token: string; readonly workspaceId: string }
  /** Lets the next CHECK wait until it is released. */
  hold(): { readonly asked: Promise<void>; release(): void }
  /** Closes a link, past the API. */
  closeLink(linkId: string, change: { expires_at?: number; revoked_at?: number }): Promise<void>
}

export async function startStage(): Promise<Stage> {
  const world = await startBrowserWorld()
  let held: { promise: Promise<void>; asked(): void } | undefined
  world.origin.serve('/told', async (_request, response) => {
    held?.asked()
    await held?.promise
    response.end(JSON.stringify(world.told.verdict))
  })
  const define = async (name: string, spec: unknown): Promise<StageTool> => {
    const made = await world.define({ name, code: toldBundle(spec, world.origin.url) })
    return { id: String(made.integrationDefinitionId), key: String(made.key) }
  }
  const url = world.origin.url
  const ways = await define('Ledger', ledgerSpec(world.provider.origin))
  const github = await define('GitHub', GITHUB_SPEC)
  const noApp = await define('Mailroom', {
    auth_specification: { OAuth2: ledgerSpec(url).auth_specification.OAuth2 },
  })
  created(
    await world.call('POST', '/v1/integration_oauth', {
      body: {
        integrationDefinitionId: ways.id,
        clientId: 'linchpin',
        clientSecret: 'canary-client-secret-0123456789',
      },
    }),
  )
  await addTools(world, github.id)
  const bare = await world.stranger()
  fine(
    await world.call('POST', `/v1/workspace/${world.workspaceId}`, {
      body: { theme: { privacyUrl: `${url}/privacy`, termsUrl: `${url}/terms` } },
    }),
  )
  return {
    ...world,
    ways,
    github,
    noApp,
    form: world.desk,
    home: `${world.host.origin}/back`,
    bare,
    hold() {
      const asked = Promise.withResolvers<void>()
      const waits = Promise.withResolvers<void>()
      held = { promise: waits.promise, asked: asked.resolve }
      return {
        asked: asked.promise,
        release() {
          held = undefined
          waits.resolve()
        },
      }
    },
    closeLink: (linkId, change) =>
      world.database.transaction(async (trx) => {
        await trx.updateTable('links').set(change).where('link_id', '=', linkId).execute()
      }),
  }
}
