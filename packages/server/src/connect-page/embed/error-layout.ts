import type { FastifyRequest } from 'fastify'
import { isId } from '../../storage/id.ts'
import { getStoredSettings } from '../../workspaces/serialize-workspace.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { minimalLayout } from '../load/load-page.ts'
import type { PageLayout } from '../screens/page-context.ts'
import { frameOrigins } from './frame-origins.ts'

/** The shell of a refusal: in a frame it must name who may hold it, or nobody would read it. */
export async function errorLayout(
  deps: Pick<ConnectPageDeps, 'sharedLinks'>,
  request: FastifyRequest,
  mode: 'page' | 'frame',
  { linkId, searchParams }: { readonly linkId: string; readonly searchParams: URLSearchParams },
): Promise<PageLayout> {
  const layout = minimalLayout(request, mode, searchParams)
  if (mode === 'page' || !isId('lnk', linkId)) return layout
  const sharedLink = await deps.sharedLinks.find(linkId)
  if (sharedLink === undefined) return layout
  return {
    ...layout,
    origins: frameOrigins(sharedLink.link, getStoredSettings(sharedLink.workspace)),
  }
}
