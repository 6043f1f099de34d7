import {
  addPages,
  type PageTestContext,
} from '../src/connect/connect-page/test/page-test-context.ts'
import {
  addOAuthProvider,
  type OAuthProviderOptions,
  type OAuthTestContext,
} from '../src/connect/oauth-flow/test/oauth-test-context.ts'
import {
  addRevocation,
  type RevocationTestContext,
} from '../src/connect/oauth-flow/test/revocation-test-context.ts'
import {
  addStubProvider,
  type StubProviderContext,
  type StubProviderOptions,
} from '../src/connect/oauth-flow/test/stub-provider-context.ts'
import { startBaseContext, type TestContext } from './base-context.ts'
import type { TestAppOptions } from './test-app.ts'

export type { DefineOptions, TestContext } from './base-context.ts'
export * from './expect-response.ts'
export * from './read-database.ts'

export interface TestContextOptions extends TestAppOptions {
  /** Visitors of the connect page over HTTP, and a named workspace. */
  readonly pages?: true
  /** A certified OAuth provider, a definition and an OAuth app for it, and a browser. */
  readonly oauth?: true | OAuthProviderOptions
  /** The same with a provider whose responses the test sets. `revocation` adds a revocation endpoint. */
  readonly provider?: true | (StubProviderOptions & { readonly revocation?: true })
}

/** What the options add to a context. */
export type TestContextWith<Options> = TestContext &
  (Options extends { pages: true } ? PageTestContext : unknown) &
  (Options extends { oauth: object | true } ? OAuthTestContext : unknown) &
  (Options extends { provider: object | true } ? StubProviderContext : unknown) &
  (Options extends { provider: { revocation: true } } ? RevocationTestContext : unknown)

/** A type parameter accepts any further keys, such as misspelled ones. */
type NoOtherKeys<Options> = Record<Exclude<keyof Options, keyof TestContextOptions>, never>

/** Starts a service, a stub server, and what the options name. Close it in `after`. */
export async function testContext<const Options extends TestContextOptions>(
  options: Options & NoOtherKeys<Options> = {} as Options & NoOtherKeys<Options>,
): Promise<TestContextWith<Options>> {
  const { pages, oauth, provider, ...appOptions }: TestContextOptions = options
  const context = await startBaseContext(appOptions)
  try {
    if (pages) await addPages(context)
    if (oauth) await addOAuthProvider(context, oauth === true ? {} : oauth)
    if (provider) await addProvider(context, provider === true ? {} : provider)
  } catch (error) {
    await context.close()
    throw error
  }
  return context as TestContextWith<Options>
}

function addProvider(
  context: TestContext,
  { revocation, ...options }: StubProviderOptions & { revocation?: true },
) {
  return revocation ? addRevocation(context, options) : addStubProvider(context, options)
}
