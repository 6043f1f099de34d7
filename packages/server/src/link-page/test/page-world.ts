import { created, fine, startWorld, type World } from '../../../test/fixtures.ts'
import type { TestAppOptions } from '../../../test/test-app.ts'
import { listen, type Person } from './person.ts'

/** Where people of the host come back to. */
export const HOME = 'https://app.example.com/connected?tab=1'
/** Who may hold the page in a frame. */
export const HOST = 'https://app.example.com'

/** A service that people reach over real HTTP, a provider beside it, and a workspace with a name. */
export interface PageWorld extends World {
  person(): Person
  /** Makes a link; answers the path of its page. */
  link(body?: Record<string, unknown>): Promise<string>
}

export async function startPageWorld(options: TestAppOptions = {}): Promise<PageWorld> {
  const world = await startWorld(options)
  fine(
    await world.call('POST', `/v1/workspace/${world.workspaceId}`, {
      body: { name: 'Acme', allowedRedirectURLs: [HOME], allowedFrameOrigins: [HOST] },
    }),
  )
  return {
    ...world,
    person: await listen(world.app),
    async link(body = {}) {
      const given = { linkName: 'For customers', ...body }
      return `/link/${created(await world.call('POST', '/v1/link', { body: given })).linkId}`
    },
  }
}

/** The path of the same page in a frame. */
export function framed(path: string): string {
  return path.replace('/link/', '/link/frame/')
}
