import type { FastifyRequest } from 'fastify'
import { isId } from '../../storage/id.ts'
import { settingsOf } from '../../workspace/settings-of.ts'
import type { LinkPageDeps } from '../link-page-deps.ts'
import { bareShell } from '../open/load-page.ts'
import type { Shell } from '../view/page.ts'
import { frameOrigins } from './frame-origins.ts'

/** The shell of a refusal: in a frame it must name who may hold it, or nobody would read it. */
export async function refusalShell(
  deps: Pick<LinkPageDeps, 'sharedLinks'>,
  request: FastifyRequest,
  mode: 'page' | 'frame',
  { linkId, given }: { readonly linkId: string; readonly given: URLSearchParams },
): Promise<Shell> {
  const shell = bareShell(request, mode, given)
  if (mode === 'page' || !isId('lnk', linkId)) return shell
  const found = await deps.sharedLinks.find(linkId)
  if (found === undefined) return shell
  return { ...shell, origins: frameOrigins(found.link, settingsOf(found.workspace)) }
}
