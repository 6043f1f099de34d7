import type { WorkspaceId } from '../../../src/access/workspaces/workspace.ts'
import type { LinkId } from '../../../src/connect/links/link.ts'
import type { DefinitionId } from '../../../src/integrations/definitions/definition.ts'
import { expectCreated, expectOk } from '../../test-context.ts'
import { type BrowserTestContext, startBrowserTestContext } from '../browser-test-context.ts'
import { addIntegrations } from './add-integrations.ts'
import { createBundleWithCheckStub, createLedgerSpec, GITHUB_SPEC } from './specs.ts'

/** An integration of the scenes, by the key of its definition. */
export interface SceneIntegration {
  readonly id: DefinitionId
  readonly key: string
}

/** A test context in which every state can be reached: 60 integrations with icons, every auth method, a second workspace. */
export interface SceneContext extends BrowserTestContext {
  /** A single key, not marked as custom. */
  readonly github: SceneIntegration
  /** Sign-in, API key, token and password. */
  readonly multiAuth: SceneIntegration
  /** The same without sign-in. */
  readonly manyKeys: SceneIntegration
  /** Fields of every kind. */
  readonly form: SceneIntegration
  /** Sign-in without an OAuth app. */
  readonly noApp: SceneIntegration
  /** The redirect URL. */
  readonly returnUrl: string
  /** Token of a workspace without allowlists and integrations. */
  readonly unconfigured: { readonly token: string; readonly workspaceId: WorkspaceId }
  /** Blocks the next CHECK until it is released. */
  pauseChecks(): { readonly requested: Promise<void>; release(): void }
  /** Closes a link directly in the database. */
  updateLink(linkId: string, change: { expires_at?: number; revoked_at?: number }): Promise<void>
}

export async function startSceneContext(): Promise<SceneContext> {
  const context = await startBrowserTestContext()
  let pausedCheck: { promise: Promise<void>; requested(): void } | undefined
  context.stubServer.serve('/told', async (_request, response) => {
    pausedCheck?.requested()
    await pausedCheck?.promise
    response.end(JSON.stringify(context.checkStub.result))
  })
  const defineIntegration = async (name: string, spec: unknown): Promise<SceneIntegration> => {
    const definition = await context.createDefinition({
      name,
      code: createBundleWithCheckStub(spec, context.stubServer.url),
    })
    return { id: definition.integrationDefinitionId, key: definition.key }
  }
  const url = context.stubServer.url
  const multiAuth = await defineIntegration('Ledger', createLedgerSpec(context.provider.origin))
  const { OAuth2: _signIn, ...keys } = createLedgerSpec(url).auth_specification
  const manyKeys = await defineIntegration('Cashbook', { auth_specification: keys })
  const github = await defineIntegration('GitHub', GITHUB_SPEC)
  const noApp = await defineIntegration('Mailroom', {
    auth_specification: { OAuth2: createLedgerSpec(url).auth_specification.OAuth2 },
  })
  expectCreated(
    await context.call('POST', '/v1/integration_oauth', {
      body: {
        integrationDefinitionId: multiAuth.id,
        clientId: 'linchpin',
        clientSecret: 'canary-client-secret-0123456789',
      },
    }),
  )
  await addIntegrations(context, github.id)
  const unconfigured = await context.otherUser()
  expectOk(
    await context.call('POST', `/v1/workspace/${context.workspaceId}`, {
      body: { theme: { privacyUrl: `${url}/privacy`, termsUrl: `${url}/terms` } },
    }),
  )
  return {
    ...context,
    multiAuth,
    manyKeys,
    github,
    noApp,
    form: context.desk,
    returnUrl: `${context.host.origin}/back`,
    unconfigured,
    pauseChecks() {
      const requested = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      pausedCheck = { promise: released.promise, requested: requested.resolve }
      return {
        requested: requested.promise,
        release() {
          pausedCheck = undefined
          released.resolve()
        },
      }
    },
    updateLink: (linkId, change) =>
      context.database.transaction(async (trx) => {
        await trx
          .updateTable('links')
          .set(change)
          .where('link_id', '=', linkId as LinkId)
          .execute()
      }),
  }
}
