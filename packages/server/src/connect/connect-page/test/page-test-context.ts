import type { TestContext } from '../../../../test/base-context.ts'
import { expectCreated, expectOk } from '../../../../test/expect-response.ts'
import { listenForVisitors, type TestVisitor } from './test-visitor.ts'

/** The redirect URL of the host. */
export const RETURN_URL = 'https://app.example.com/connected?tab=1'
/** The origin that may embed the page. */
export const HOST_ORIGIN = 'https://app.example.com'

/** A service over real HTTP, a provider and a named workspace. */
export interface PageTestContext extends TestContext {
  visitor(): TestVisitor
  /** Creates a link. Returns the path of its page. */
  link(body?: Record<string, unknown>): Promise<string>
}

/** Names the workspace of a context and lets visitors open its pages. */
export async function addPages(context: TestContext): Promise<PageTestContext> {
  expectOk(
    await context.call('POST', `/v1/workspace/${context.workspaceId}`, {
      body: { name: 'Acme', allowedRedirectURLs: [RETURN_URL], allowedFrameOrigins: [HOST_ORIGIN] },
    }),
  )
  return Object.assign(context, {
    visitor: await listenForVisitors(context.app),
    async link(body: Record<string, unknown> = {}) {
      const linkBody = { linkName: 'For customers', ...body }
      return `/link/${expectCreated(await context.call('POST', '/v1/link', { body: linkBody })).linkId}`
    },
  })
}

/** The path of the embedded page. */
export function toFramePath(path: string): string {
  return path.replace('/link/', '/link/frame/')
}
